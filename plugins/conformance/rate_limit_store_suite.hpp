// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::RateLimitStore must do when it is asked for takes.
Suite<RateLimitStoreFixture> rate_limit_take_suite();

/// All that it must do.
Suite<RateLimitStoreFixture> rate_limit_store_suite();

}  // namespace kbase::conformance
