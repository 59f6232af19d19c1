// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::ApiKeyStore must do.
Suite<ApiKeyStoreFixture> api_key_store_suite();

}  // namespace kbase::conformance
