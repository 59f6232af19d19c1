// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ports/driven/item_store.hpp"
#include "tests/support/mocks/trompeloeil.hpp"

namespace kbase::tests {

class MockItemWriter : public trompeloeil::mock_interface<ports::ItemWriter> {
 public:
  IMPLEMENT_MOCK3(read);
  IMPLEMENT_MOCK3(read_category);
  IMPLEMENT_MOCK2(put);
  IMPLEMENT_MOCK2(put_category);
  IMPLEMENT_MOCK2(remove);
  IMPLEMENT_MOCK2(remove_category);
  IMPLEMENT_MOCK2(set_synonyms);
  IMPLEMENT_MOCK1(commit);
};

class MockItemStore : public trompeloeil::mock_interface<ports::ItemStore> {
 public:
  IMPLEMENT_CONST_MOCK0(capabilities);
  IMPLEMENT_CONST_MOCK0(store_id);
  IMPLEMENT_MOCK1(revision);
  IMPLEMENT_MOCK2(wait);
  IMPLEMENT_MOCK3(get);
  IMPLEMENT_MOCK3(summaries);
  IMPLEMENT_MOCK4(recent);
  IMPLEMENT_MOCK3(category);
  IMPLEMENT_MOCK3(categories);
  IMPLEMENT_MOCK2(totals);
  IMPLEMENT_MOCK2(category_views);
  IMPLEMENT_MOCK3(changes);
  IMPLEMENT_MOCK2(synonyms);
  IMPLEMENT_MOCK1(begin);
  IMPLEMENT_MOCK4(try_lease);
  IMPLEMENT_MOCK1(health);
};

}  // namespace kbase::tests
