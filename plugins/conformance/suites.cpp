// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/suites.hpp"

#include "plugins/conformance/rate_limit_checks.hpp"
#include "plugins/conformance/search_index_checks.hpp"

namespace kbase::conformance {

Suite<ItemStoreFixture> item_store_suite() {
  Suite<ItemStoreFixture> suite = item_store_round_trips();
  for (const auto& part :
       {item_store_lists(), item_store_batches(), item_store_feed(), item_store_waits(), item_store_leases(),
        item_store_synonyms()})
    suite.insert(suite.end(), part.begin(), part.end());
  return suite;
}

Suite<RateLimitStoreFixture> rate_limit_acquire_suite() {
  Suite<RateLimitStoreFixture> suite = rate_limit_counts();
  for (const auto& part : {rate_limit_times(), rate_limit_bounds()})
    suite.insert(suite.end(), part.begin(), part.end());
  return suite;
}

Suite<RateLimitStoreFixture> rate_limit_store_suite() {
  Suite<RateLimitStoreFixture> suite = rate_limit_acquire_suite();
  const auto settlements = rate_limit_adjustments();
  suite.insert(suite.end(), settlements.begin(), settlements.end());
  return suite;
}

Suite<SearchIndexFixture> search_index_suite() {
  Suite<SearchIndexFixture> suite = search_index_matching();
  for (const auto& part : {search_index_rules(), search_index_orders(), search_index_batches(), search_index_typos(),
                           search_index_filters(), search_index_completions(), search_index_descriptions()})
    suite.insert(suite.end(), part.begin(), part.end());
  return suite;
}

}  // namespace kbase::conformance
