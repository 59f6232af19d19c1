// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::ActivityStore must do.
Suite<ActivityStoreFixture> activity_store_suite();

}  // namespace kbase::conformance
