// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "domain/base/result.hpp"
#include "domain/model/api_key.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A request to the rate limiter: may this client make `cost` more requests?
struct AcquireRequest {
  enum class Mode {
    Charge,
    ChargeExactly,  ///< must be decided by the primary rate limiter; a fallback never answers it
    Peek,           ///< changes nothing; returns the state that a charge would find, as if the cost were 0
  };

  model::ClientId client_id{};
  std::uint32_t cost = 1;
  Mode mode = Mode::Charge;
  model::Limits limits{};  ///< current limits of the client's plan; changing them never changes a count
  /// Hash of the client's network. Charged instead of the client when a store with bounded size is full. All zeros:
  /// there is no fallback bucket.
  model::ClientId fallback_bucket{};

  bool is_charge() const { return mode != Mode::Peek; }
  bool has_fallback_bucket() const { return fallback_bucket != model::ClientId{}; }
};

/// The rate limiter's decision. `minute` and `day` describe the windows after the call; without a limit they are
/// meaningless. If `allowed` is false, nothing was charged, and a window that denied has fewer remaining than the cost.
struct Decision {
  enum class Account {
    Own,
    Shared,  ///< the fallback bucket's, shared by all its clients that the store has no entry for; the windows are the
             ///< bucket's
  };

  bool allowed = false;
  model::WindowState minute{};
  model::WindowState day{};
  Account account = Account::Own;  ///< account that decided and, if `allowed`, was charged
};

/// How much the day's count must change after a charge when `used` of its cost was used. Negative: decrease.
inline std::int64_t correction(const AcquireRequest& request, const Decision& decision, std::uint32_t used) {
  const bool is_in_day = request.is_charge() && request.cost != 0 && decision.allowed && request.limits.per_day != 0;
  return is_in_day ? std::int64_t{used} - request.cost : 0;
}

/// The windows of a client that made no request.
inline Decision untouched(const model::Limits& limits, model::Instant now) {
  return {true,
          {limits.per_minute, now + std::chrono::minutes(1)},
          {limits.per_day, model::next_midnight(now)},
          Decision::Account::Own};
}

/// Counts requests of each client in two windows: any 60 seconds (a request counts while now - t < 60,000 ms) and the
/// UTC day. A charge counts in both windows or in neither. Concurrent charges never exceed a limit. If the clock steps
/// back, requests stay in the minute for at most 60 seconds; a newer day is kept if it begins within an hour; charges
/// of a day further ahead count as charged today.
///
/// A store may bound the number of clients it remembers. When it is full, a new client replaces a client with nothing
/// counted, else one with much left, but never one that has exhausted a limit. If no client can be replaced, the new
/// client is charged to its fallback bucket; without one, acquire fails with Unavailable.
///
/// Thread-safety: any thread, concurrent calls allowed. Errors: Unavailable, Deadline, Cancelled. After an error it is
/// unknown whether the request was charged; it is never sent twice.
/// Contract suite: plugins/conformance/rate_limit_store_suite.
class RateLimitStore {
 public:
  struct Capabilities {
    bool inline_calls = false;  ///< acquire never blocks, so that a reactor thread may call it
    bool shared = false;        ///< several processes count together
  };

  virtual ~RateLimitStore() = default;

  virtual Capabilities capabilities() const = 0;

  /// Decides requests[i] in decisions[i]; both have the same length. Each request is atomic by itself, not the batch.
  virtual Status acquire(Call& call, std::span<const AcquireRequest* const> requests,
                         std::span<Decision* const> decisions) = 0;

  /// Replaces the estimated cost of a charge by `used`, as for the tokens of a completion. `request` and `decision` are
  /// those of acquire. The mode must be ChargeExactly, otherwise a fallback may have decided it. Corrects the count of
  /// the day that was charged, also beyond the limit if more was used. Does nothing if that day is over or the client
  /// was evicted; never changes another client's count. The minute keeps the estimate, as it ends soon.
  ///
  /// Call it once for each acquire: a second call would refund what other requests acquired. A call without a result
  /// must not be repeated; the estimate then stays in the day. Errors: see acquire; Unsupported: the store cannot
  /// adjust.
  virtual Status adjust(Call& call, const AcquireRequest& request, const Decision& decision, std::uint32_t used) = 0;

  virtual Status health(Call& call) = 0;
};

}  // namespace kbase::ports
