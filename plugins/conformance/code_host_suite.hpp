// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// What every ports::CodeHost must do, whichever service it speaks to: above all while that answers badly. What a good
/// answer comes to is the affair of the service, and of each implementation's own tests.
Suite<CodeHostFixture> code_host_suite();

}  // namespace kbase::conformance
