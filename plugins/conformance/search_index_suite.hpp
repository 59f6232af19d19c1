// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Contract suite of ports::SearchIndex.
Suite<SearchIndexFixture> search_index_suite();

}  // namespace kbase::conformance
