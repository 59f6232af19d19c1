// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kbase::ports {

/// What became of a look-up of a user.
enum class LookUpEnd {
  Kept,       ///< what is kept was given while it is fresh
  Told,       ///< the service told of the user
  Confirmed,  ///< the service said that what is kept still holds
  StoodIn,    ///< what is kept was given, since the service could not be asked or did not answer
  Unknown,    ///< there is no such user, as the service says now or said a moment ago, or as any name of it shows
  Refused,    ///< the service is not asked that often
  Failed,
  Cancelled,
};

/// Counts look-ups for the operator. Any thread; never waits.
class LookUpCounts {
 public:
  virtual ~LookUpCounts() = default;
  virtual void count(LookUpEnd end) noexcept = 0;
};

}  // namespace kbase::ports
