// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/redis_server.hpp"

namespace kbase::tests {
namespace {

/// Runs the third-party check with a real Redis. The checker moves time, so the windows follow the host's clock.
TEST(RedisPlugin, IsCertifiedOnARealRedis) {
  if (!has_redis()) GTEST_SKIP() << kNoRedis;
  const RedisServer server;
  const std::string settings = server.folder() / "settings.yaml";
  std::ofstream(settings) << "url: " << server.url() << "\nclock: host\n";
  const Outcome outcome = run_program(
      {{KBASE_CHECKER, KBASE_REDIS_PLUGIN, "--port", "kbase.rate_limit_store/1", "--config", settings}, {}, {}}, {},
      std::chrono::minutes(4));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
