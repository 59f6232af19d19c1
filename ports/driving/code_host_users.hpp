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

/// Data about a user of the code-hosting service.
struct UserAnswer {
  std::string text;                         ///< the response text, formatted by a UserWriter
  std::optional<std::chrono::seconds> age;  ///< time since the service returned or confirmed the data; nullopt: just
                                            ///< now
};

/// Users of the code-hosting service (docs/guide/code-host-users.md). Any thread.
class CodeHostUsers {
 public:
  virtual ~CodeHostUsers() = default;

  /// Returns a fresh cached answer if the cache never blocks. nullopt: call look_up(). Never blocks.
  virtual std::optional<UserAnswer> kept(std::string_view username) = 0;

  /// NotFound: there is no such user. Unavailable: the service is disabled or saturated (retry_after), or cannot be
  /// reached. BadUpstream, Deadline: it failed or
  /// was too slow, and no cached answer can replace its response.
  virtual model::Result<UserAnswer> look_up(Call& call, const ExternalClient& client, std::string_view username) = 0;
};

}  // namespace kbase::ports
