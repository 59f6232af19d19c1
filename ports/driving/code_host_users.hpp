// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driving/external_client.hpp"

namespace kbase::ports {

/// What there is to tell about a user of the code-hosting service.
struct UserAnswer {
  std::string text;                         ///< as a UserWriter wrote it
  std::optional<std::chrono::seconds> age;  ///< since it was told by the service or confirmed; nullopt: just now
};

/// Users of the code-hosting service (docs/guide/code-host-users.md). Any thread.
class CodeHostUsers {
 public:
  virtual ~CodeHostUsers() = default;

  /// A fresh answer that is kept where looking never blocks; nullopt: look_up() has to be asked. Never waits.
  virtual std::optional<UserAnswer> kept(std::string_view username) = 0;

  /// NotFound: there is no such user. Unavailable: the service is disabled or saturated (retry_after), or cannot be
  /// reached. BadUpstream, Deadline: it failed, or was too late, and nothing about the user is kept.
  virtual model::Result<UserAnswer> look_up(Call& call, const ExternalClient& client, std::string_view username) = 0;
};

}  // namespace kbase::ports
