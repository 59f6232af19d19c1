// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Contract suite of ports::ApiKeyStore.
Suite<ApiKeyStoreFixture> api_key_store_suite();

}  // namespace kbase::conformance
