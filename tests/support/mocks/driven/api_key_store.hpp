// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/api_key_store.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockApiKeyStore : public trompeloeil::mock_interface<ports::ApiKeyStore> {
 public:
  IMPLEMENT_MOCK1(revision);
  IMPLEMENT_MOCK2(find);
  IMPLEMENT_MOCK2(get);
  IMPLEMENT_MOCK2(list);
  IMPLEMENT_MOCK2(create);
  IMPLEMENT_MOCK2(update);
  IMPLEMENT_MOCK2(add_usage);
  IMPLEMENT_MOCK4(usage);
  IMPLEMENT_MOCK2(last_used);
  IMPLEMENT_MOCK2(delete_usage_before);
  IMPLEMENT_CONST_MOCK0(has_inline_reads);
};

}  // namespace kbase::tests
