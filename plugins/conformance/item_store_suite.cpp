// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/item_store_suite.hpp"

#include "plugins/conformance/item_store_checks.hpp"

namespace kbase::conformance {

Suite<ItemStoreFixture> item_store_suite() {
  Suite<ItemStoreFixture> suite = item_store_round_trips();
  for (const auto& part :
       {item_store_lists(), item_store_batches(), item_store_feed(), item_store_waits(), item_store_leases()})
    suite.insert(suite.end(), part.begin(), part.end());
  return suite;
}

}  // namespace kbase::conformance
