// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/postgres_server.hpp"

namespace kbase::tests {
namespace {

/// Runs the third-party check with a real PostgreSQL. Each check has a schema named after its folder.
TEST(PostgresPlugin, IsCertifiedOnARealPostgres) {
  if (!has_postgres()) GTEST_SKIP() << kNoPostgres;
  const PostgresServer server;
  const TemporaryFolder folder;
  const std::string settings = folder.path() / "settings.yaml";
  std::ofstream(settings) << "url: " << server.url() << "\n";
  const Outcome outcome =
      run_program({{KBASE_CHECKER, KBASE_POSTGRES_PLUGIN, "--config", settings}, {}, {}}, {}, std::chrono::minutes(4));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
