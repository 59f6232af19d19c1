// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driving/code_host_users.hpp"
#include "ports/driving/completions.hpp"

namespace kbase::usecases {

/// The pass-through services while none is configured: requests are checked, then answered that the service is off.
class CallExternal final : public ports::CodeHostUsers, public ports::Completions {
 public:
  std::optional<ports::UserAnswer> kept(std::string_view) override { return std::nullopt; }
  model::Result<ports::UserAnswer> look_up(ports::Call& call, const ports::ExternalClient& client,
                                           std::string_view username) override;
  model::Status complete(ports::Call& call, const ports::CompletionRequest& request) override;
};

}  // namespace kbase::usecases
