// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Contract suite of ports::RateLimitStore::acquire.
Suite<RateLimitStoreFixture> rate_limit_take_suite();

/// Contract suite of ports::RateLimitStore, with acquire() and adjust().
Suite<RateLimitStoreFixture> rate_limit_store_suite();

}  // namespace kbase::conformance
