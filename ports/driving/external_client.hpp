// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// On whose behalf a service outside is asked.
struct ExternalClient {
  model::ClientId client_id{};  ///< whom the rate limiter counts
  bool has_key = false;
  std::uint32_t tokens_per_day = 0;  ///< that its plan lets it spend on completions; 0: no limit
};

}  // namespace kbase::ports
