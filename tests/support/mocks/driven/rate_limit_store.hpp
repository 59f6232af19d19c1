// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/rate_limit_store.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockRateLimitStore : public trompeloeil::mock_interface<ports::RateLimitStore> {
 public:
  IMPLEMENT_CONST_MOCK0(capabilities);
  IMPLEMENT_MOCK3(acquire);
  IMPLEMENT_MOCK4(adjust);
  IMPLEMENT_MOCK1(health);
};

}  // namespace kbase::tests
