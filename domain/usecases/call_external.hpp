// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driving/completions.hpp"

namespace kbase::usecases {

/// The pass-through services while none is configured: requests are checked, then answered that the service is off.
class CallExternal final : public ports::Completions {
 public:
  model::Status complete(ports::Call& call, const ports::CompletionRequest& request) override;
};

}  // namespace kbase::usecases
