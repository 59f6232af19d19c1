// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/postgres_server.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_opensearch_index.hpp"

/// Runs `kbase plugin check` on each networked plugin with a real server. Each check uses its own schema, index or key
/// prefix, named after the check's folder.
namespace kbase::tests {
namespace {

Outcome check(const std::string& plugin, const std::string& settings) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "settings.yaml";
  std::ofstream(file) << settings;
  return run_program({{KBASE_CHECKER, plugin, "--config", file}, {}, {}}, {}, std::chrono::minutes(8));
}

TEST(NetworkedPlugin, PostgresIsCertified) {
  if (!has_postgres()) GTEST_SKIP() << kNoPostgres;
  const PostgresServer server;
  const Outcome outcome = check(KBASE_POSTGRES_PLUGIN, "url: " + server.url() + "\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

/// The checker moves the time, so the windows follow the host's clock. The cache has settings of its own.
TEST(NetworkedPlugin, RedisIsCertified) {
  if (!has_redis()) GTEST_SKIP() << kNoRedis;
  const RedisServer server;
  const Outcome outcome =
      check(KBASE_REDIS_PLUGIN, "kbase.rate_limit_store/1:\n  url: " + server.url() +
                                    "\n  clock: host\nkbase.cache/1:\n  url: " + server.url() + "\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

TEST(NetworkedPlugin, OpenSearchIsCertified) {
  if (const char* const missing = missing_opensearch()) GTEST_SKIP() << missing;
  TemporaryOpenSearchIndex server;
  const Outcome outcome = check(KBASE_OPENSEARCH_PLUGIN, "url: " + TemporaryOpenSearchIndex::url() + "\nreplicas: 0\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
  server.ask("DELETE", "/check-*");  // a server has at most 1,000 shards
}

}  // namespace
}  // namespace kbase::tests
