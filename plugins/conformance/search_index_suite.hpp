// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::SearchIndex must do.
Suite<SearchIndexFixture> search_index_suite();

}  // namespace kbase::conformance
