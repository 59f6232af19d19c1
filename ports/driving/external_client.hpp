// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// The client on whose behalf an upstream service is called.
struct ExternalClient {
  model::ClientId client_id{};  ///< the client that the rate limiter counts
  bool has_key = false;
  std::uint32_t tokens_per_day = 0;  ///< its plan's limit of tokens for completions; 0: no limit
};

}  // namespace kbase::ports
