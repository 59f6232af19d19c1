// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/user_look_ups.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

namespace kbase::runtime {
namespace {

/// Poll interval of a waiting caller: the cancellation of a call does not notify `ended_`.
constexpr std::chrono::milliseconds kPollInterval{50};

}  // namespace

/// The right to look up a user, released on destruction. Without the right (`entry_` empty) the call was cancelled or
/// its deadline passed.
class CoalescedLookUps::UserLock {
 public:
  UserLock(CoalescedLookUps& look_ups, const ports::Call& call, std::string_view username) : look_ups_(look_ups) {
    using Clock = std::chrono::steady_clock;
    std::unique_lock lock(look_ups_.mutex_);
    while (look_ups_.running_.contains(username)) {
      const auto now = Clock::now();
      if (call.cancelled() || now >= call.deadline) return;
      look_ups_.ended_.wait_until(lock, std::min(call.deadline, now + kPollInterval));
    }
    entry_ = look_ups_.running_.emplace(username).first;
  }
  ~UserLock() {
    if (!entry_) return;
    {
      const std::lock_guard lock(look_ups_.mutex_);
      look_ups_.running_.erase(*entry_);
    }
    look_ups_.ended_.notify_all();
  }
  UserLock(const UserLock&) = delete;
  UserLock& operator=(const UserLock&) = delete;

 private:
  CoalescedLookUps& look_ups_;
  std::optional<std::set<std::string, std::less<>>::iterator> entry_;
};

Result<ports::UserAnswer> CoalescedLookUps::look_up(ports::Call& call, const ports::ExternalClient& client,
                                                    std::string_view username) {
  const UserLock lock(*this, call, username);
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "The request was cancelled during the look-up of a user."};
  // A call whose deadline passed continues without the right: the use case can still return an expired cache entry.
  return users_.look_up(call, client, username);
}

std::function<void(ports::LookUpOutcome)> make_look_up_counter(ports::Metrics& metrics) {
  // In the order of ports::LookUpOutcome.
  constexpr std::array<std::string_view, 8> kOutcomes = {"cached",  "fetched", "confirmed", "stale",
                                                         "unknown", "refused", "failed",    "cancelled"};
  static_assert(kOutcomes.size() == static_cast<std::size_t>(ports::LookUpOutcome::Cancelled) + 1);
  std::array<ports::Counter*, kOutcomes.size()> counters{};
  std::transform(kOutcomes.begin(), kOutcomes.end(), counters.begin(), [&](std::string_view outcome) {
    return &metrics.counter("kbase_codehost_look_ups_total", "User look-ups at the code-hosting service, by outcome.",
                            {{"outcome", outcome}});
  });
  return [counters](ports::LookUpOutcome outcome) { counters[static_cast<std::size_t>(outcome)]->add(); };
}

}  // namespace kbase::runtime
