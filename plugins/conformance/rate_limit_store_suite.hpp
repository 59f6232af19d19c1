// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::RateLimitStore must do.
Suite<RateLimitStoreFixture> rate_limit_store_suite();

}  // namespace kbase::conformance
