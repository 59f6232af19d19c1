// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driving/external.hpp"

namespace kbase::usecases {

/// The pass-through services while none is configured: requests are checked, then answered that the service is off.
class CallExternal final : public ports::External {
 public:
  model::Status codehost_user(ports::Call& call, std::string_view username) override;
  model::Status complete(ports::Call& call, const ports::CompletionRequest& request) override;
};

}  // namespace kbase::usecases
