// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::conformance {

/// Contract suite of ports::CodeHost, for any service. Checks mainly that failures and invalid responses are handled.
/// How valid responses are read depends on the service and is tested with each implementation.
Suite<CodeHostFixture> code_host_suite();

}  // namespace kbase::conformance
