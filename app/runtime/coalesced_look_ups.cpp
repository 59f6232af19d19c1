// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/coalesced_look_ups.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace kbase::runtime {
namespace {

/// Poll interval of a waiting caller: the cancellation of a call does not notify `ended_`.
constexpr std::chrono::milliseconds kLookEvery{50};

}  // namespace

/// The right to look up a user, released on destruction. Without the right (`place_` empty) the call was cancelled or
/// its deadline passed.
class CoalescedLookUps::Turn {
 public:
  Turn(CoalescedLookUps& look_ups, const ports::Call& call, std::string_view username) : look_ups_(look_ups) {
    using Clock = std::chrono::steady_clock;
    std::unique_lock lock(look_ups_.mutex_);
    while (look_ups_.under_way_.contains(username)) {
      const auto now = Clock::now();
      if (call.cancelled() || now >= call.deadline) return;
      look_ups_.ended_.wait_until(lock, std::min(call.deadline, now + kLookEvery));
    }
    place_ = look_ups_.under_way_.emplace(username).first;
  }
  ~Turn() {
    if (!place_) return;
    {
      const std::lock_guard lock(look_ups_.mutex_);
      look_ups_.under_way_.erase(*place_);
    }
    look_ups_.ended_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  CoalescedLookUps& look_ups_;
  std::optional<std::set<std::string, std::less<>>::iterator> place_;
};

model::Result<ports::UserAnswer> CoalescedLookUps::look_up(ports::Call& call, const ports::ExternalClient& client,
                                                           std::string_view username) {
  const Turn turn(*this, call, username);
  if (call.cancelled())
    return model::Error{model::ErrorCode::Cancelled, "Nobody waits for the look-up any more.", {}, {}, {}};
  // A call whose deadline passed continues without the right: the use case can still return an expired cache entry.
  return users_.look_up(call, client, username);
}

}  // namespace kbase::runtime
