// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/rate_limit_store_suite.hpp"

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {

Suite<RateLimitStoreFixture> rate_limit_take_suite() {
  Suite<RateLimitStoreFixture> suite = rate_limit_counts();
  for (const auto& part : {rate_limit_times(), rate_limit_bounds()})
    suite.insert(suite.end(), part.begin(), part.end());
  return suite;
}

Suite<RateLimitStoreFixture> rate_limit_store_suite() {
  Suite<RateLimitStoreFixture> suite = rate_limit_take_suite();
  const auto settlements = rate_limit_settlements();
  suite.insert(suite.end(), settlements.begin(), settlements.end());
  return suite;
}

}  // namespace kbase::conformance
