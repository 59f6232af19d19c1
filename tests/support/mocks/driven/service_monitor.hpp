// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/server_state.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockServiceMonitor : public trompeloeil::mock_interface<ports::ServiceMonitor> {
 public:
  IMPLEMENT_CONST_MOCK1(state);
};

}  // namespace kbase::tests
