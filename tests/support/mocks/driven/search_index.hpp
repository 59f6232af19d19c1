// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/search_index.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockSearchIndex : public trompeloeil::mock_interface<ports::SearchIndex> {
 public:
  IMPLEMENT_CONST_MOCK0(capabilities);
  IMPLEMENT_CONST_MOCK0(fingerprint);
  IMPLEMENT_MOCK3(search);
  IMPLEMENT_MOCK4(complete);
  IMPLEMENT_MOCK1(state);
  IMPLEMENT_MOCK3(begin);
  IMPLEMENT_MOCK3(set_views);
  IMPLEMENT_MOCK1(verify);
  IMPLEMENT_MOCK1(health);
};

}  // namespace kbase::tests
