// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/language_model_fixture.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Contract suite of ports::LanguageModel.
Suite<LanguageModelFixture> language_model_suite();

}  // namespace kbase::conformance
