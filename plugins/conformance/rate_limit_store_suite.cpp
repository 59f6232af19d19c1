// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/rate_limit_store_suite.hpp"

#include "plugins/conformance/rate_limit_checks.hpp"

namespace kbase::conformance {

Suite<RateLimitStoreFixture> rate_limit_store_suite() {
  Suite<RateLimitStoreFixture> suite = rate_limit_counts();
  const Suite<RateLimitStoreFixture> times = rate_limit_times();
  suite.insert(suite.end(), times.begin(), times.end());
  return suite;
}

}  // namespace kbase::conformance
