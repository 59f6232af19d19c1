// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/language_model_fixture.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::LanguageModel must do.
Suite<LanguageModelFixture> language_model_suite();

}  // namespace kbase::conformance
