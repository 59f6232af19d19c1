// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::ports {

/// Outcome of a user look-up.
enum class LookUpEnd {
  Kept,       ///< answered from a fresh cache entry
  Told,       ///< the service returned the user's data
  Confirmed,  ///< the service confirmed that the cached data is current
  StoodIn,    ///< answered from a stale cache entry, because the service could not be queried or did not respond
  Unknown,    ///< no such user: by the service, by a negative cache entry, or by the format of the name
  Refused,    ///< the limit of queries to the service was reached
  Failed,
  Cancelled,
};

/// Counts look-ups by outcome, for the operator. Any thread; never blocks.
class LookUpCounts {
 public:
  virtual ~LookUpCounts() = default;
  virtual void count(LookUpEnd end) noexcept = 0;
};

}  // namespace kbase::ports
