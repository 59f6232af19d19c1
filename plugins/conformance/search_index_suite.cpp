// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_suite.hpp"

#include "plugins/conformance/search_index_checks.hpp"

namespace kbase::conformance {

Suite<SearchIndexFixture> search_index_suite() {
  Suite<SearchIndexFixture> suite = search_index_matching();
  for (const auto& part : {search_index_rules(), search_index_orders(), search_index_batches(), search_index_typos(),
                           search_index_filters(), search_index_completions()})
    suite.insert(suite.end(), part.begin(), part.end());
  return suite;
}

}  // namespace kbase::conformance
