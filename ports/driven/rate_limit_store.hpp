// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "domain/model/plan.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// A question to the rate limiter: may this subject make `cost` more requests?
struct AcquireRequest {
  enum class Mode {
    Charge,
    ChargeExactly,  ///< by the rate limiter itself or not at all: what stands in for one that is away does not answer
                    ///< it
    Peek,           ///< only looks, as if the cost were 0: changes nothing, and shows the account a charge would find
  };

  model::ClientId client_id{};
  std::uint32_t cost = 1;
  Mode mode = Mode::Charge;
  model::Limits limits{};  ///< of the subject's plan now; a count never changes because they do
  /// Of the network the subject is in, as a hash: whose account pays where a store that remembers so many subjects and
  /// no more has no place for this one. All zeros: the subject is in none.
  model::ClientId fallback_bucket{};

  bool is_charge() const { return mode != Mode::Peek; }
  bool has_fallback_bucket() const { return fallback_bucket != model::ClientId{}; }
};

/// The answer. `minute` and `day` describe the windows after the take; of a window without a limit they mean nothing.
/// Where `allowed` is false nothing was charged, and a window that denied has fewer remaining than the cost.
struct Decision {
  enum class Account {
    Own,
    Shared,  ///< the group's, which all its subjects without a place have in common; the windows are that account's
  };

  bool allowed = false;
  model::WindowState minute{};
  model::WindowState day{};
  Account account = Account::Own;  ///< which was asked and, where `allowed`, charged
};

/// How many more (negative: fewer) the day of a take has to hold once it is known that `used` was used of its cost.
inline std::int64_t correction(const AcquireRequest& request, const Decision& decision, std::uint32_t used) {
  const bool is_in_day = request.is_charge() && request.cost != 0 && decision.allowed && request.limits.per_day != 0;
  return is_in_day ? std::int64_t{used} - request.cost : 0;
}

/// The windows of a subject that made no request.
inline Decision untouched(const model::Limits& limits, model::Instant now) {
  return {true,
          {limits.per_minute, now + std::chrono::minutes(1)},
          {limits.per_day, model::next_midnight(now)},
          Decision::Account::Own};
}

/// The rate limiter of requests: two windows for each subject, any 60 seconds (a request counts while now - t < 60,000
/// ms) and the UTC day. A take charges both windows or neither, and never admits one more than a limit, whoever asks at
/// the same time. A clock that steps back keeps what is counted in the minute for 60 seconds at most, and a newer day
/// where that begins within an hour; what was charged in a day further ahead counts as charged today.
///
/// A store may bound how many subjects it remembers. A full one gives a newcomer the place of a subject with nothing
/// counted, else of one with much left, never of one that has used up a limit; where there is no such place the
/// newcomer is charged to the shared account of its group, and fails with Unavailable where it is in none.
///
/// Thread-safety: any thread, any number at a time. Errors: Unavailable, Deadline, Cancelled (nothing is known about
/// whether the take was charged; it is never sent twice).
/// Contract suite: plugins/conformance/rate_limit_store_suite.
class RateLimitStore {
 public:
  struct Capabilities {
    bool inline_calls = false;  ///< take never blocks: it may run on a reactor thread
    bool shared = false;        ///< several processes count together
  };

  virtual ~RateLimitStore() = default;

  virtual Capabilities capabilities() const = 0;

  /// Answers takes[i] in taken[i]; both have the same length. Each take is atomic by itself.
  virtual model::Status acquire(Call& call, std::span<const AcquireRequest* const> requests,
                                std::span<Decision* const> decisions) = 0;

  /// Makes of a charge that was an estimate, as that of a completion's tokens is, what was used of it. `take` and
  /// `taken` are what it was asked and answered; it was to be charged exactly, or a fallback may have answered it. The
  /// count of the day that it was charged to is corrected, by more than was left where more was used; of a day that is
  /// over, or a subject that was forgotten, nothing is, and never anybody else's count. The minute keeps the estimate,
  /// as it is soon over.
  ///
  /// To be sent once for each take: a second one would give back what others have taken. So one without an answer is
  /// not sent again, and leaves the estimate in the day. Errors: as take; Unsupported, where a store cannot.
  virtual model::Status adjust(Call& call, const AcquireRequest& request, const Decision& decision,
                               std::uint32_t used) = 0;

  virtual model::Status health(Call& call) = 0;
};

}  // namespace kbase::ports
