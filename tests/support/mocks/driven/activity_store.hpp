// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/activity_store.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockActivityStore : public trompeloeil::mock_interface<ports::ActivityStore> {
 public:
  IMPLEMENT_MOCK4(add);
  IMPLEMENT_MOCK3(set);
  IMPLEMENT_MOCK1(revision);
  IMPLEMENT_MOCK3(totals);
  IMPLEMENT_MOCK4(top);
  IMPLEMENT_MOCK4(daily);
  IMPLEMENT_MOCK2(days);
  IMPLEMENT_MOCK3(snapshot);
};

}  // namespace kbase::tests
