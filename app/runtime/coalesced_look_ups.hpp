// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "ports/driving/code_host_users.hpp"

namespace kbase::runtime {

/// Look-ups of users, one at a time for each name. Who asks about a user who is being looked up waits until that has
/// ended, but for no longer than the call's own deadline, and asks then: mostly to find the answer kept. Any thread.
class CoalescedLookUps final : public ports::CodeHostUsers {
 public:
  /// `users` outlives it.
  explicit CoalescedLookUps(ports::CodeHostUsers& users) : users_(users) {}

  std::optional<ports::UserAnswer> kept(std::string_view username) override { return users_.kept(username); }

  /// Also Cancelled, while it waits.
  model::Result<ports::UserAnswer> look_up(ports::Call& call, const ports::ExternalClient& client,
                                           std::string_view username) override;

 private:
  class Turn;

  ports::CodeHostUsers& users_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<std::string, std::less<>> under_way_;
};

}  // namespace kbase::runtime
