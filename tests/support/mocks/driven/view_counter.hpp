// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/server_state.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockViewCounter : public trompeloeil::mock_interface<ports::ViewCounter> {
 public:
  IMPLEMENT_MOCK1(count);
  IMPLEMENT_CONST_MOCK1(views_of);
  IMPLEMENT_CONST_MOCK1(by_category);
  IMPLEMENT_CONST_MOCK0(revision);
};

}  // namespace kbase::tests
