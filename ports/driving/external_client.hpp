// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "domain/model/plan.hpp"

namespace kbase::ports {

/// On whose behalf a service outside is asked.
struct ExternalClient {
  model::Subject subject{};  ///< whom the ledger counts
  bool has_key = false;
};

}  // namespace kbase::ports
