// SPDX-License-Identifier: Apache-2.0
// Load test of the whole program with many clients. KBASE_EDGE_LOAD sets the number of requests (20,000). Under the
// thread sanitizer, the server writes the sanitizer's reports to its log.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "tests/edge/program/load.hpp"
#include "tests/edge/program/target_server.hpp"

namespace kbase::tests {
namespace {

TEST(MixedLoad, GivesEachClientItsOwnResponses) {
  constexpr unsigned kClients = 8;
  const char* variable = std::getenv("KBASE_EDGE_LOAD");
  const std::uint64_t requests = variable == nullptr ? 20'000 : std::strtoull(variable, nullptr, 10);
  TargetServer kbase = TargetServer::kbase();
  LoadReport report;
  std::vector<std::jthread> clients;
  for (unsigned number = 0; number < kClients; ++number)
    clients.emplace_back([&, number] { LoadClient(kbase.port(), number, report).run(requests / kClients); });
  clients.clear();
  for (const std::string& fault : report.faults()) ADD_FAILURE() << fault;
  EXPECT_GT(report.answers(), requests * 3 / 4);
  EXPECT_EQ(kbase.harm(), std::nullopt);
  EXPECT_EQ(kbase.stop(), 0) << kbase.log();
}

}  // namespace
}  // namespace kbase::tests
