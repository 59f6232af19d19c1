// SPDX-License-Identifier: Apache-2.0
// Runs the Storage end-to-end suites over combinations of back ends that need servers. Each combination runs in its
// own process, which starts one PostgreSQL and one Redis for all of its tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "tests/e2e/back_ends.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/child_process.hpp"

namespace kbase::tests {
namespace {

/// Together with the combinations that every suite runs anyway, these cover each pair of back ends once.
const std::vector<BackEnds> kPairs = {{Storage::Postgres},
                                      {Storage::Memory, Search::Native, Counting::Redis},
                                      {Storage::Sqlite, Search::OpenSearch, Counting::Redis},
                                      {Storage::Postgres, Search::OpenSearch, Counting::Redis}};

/// Removes the lines of skipped tests: ctest would report this test as skipped because of them.
std::string without_skipped(const std::string& output) {
  std::istringstream lines(output);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("[  SKIPPED ]", 0) != 0) kept += line + '\n';
  return kept;
}

class Combination : public testing::TestWithParam<BackEnds> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for(GetParam()); !missing.empty()) GTEST_SKIP() << missing;
    const bool is_pair = std::find(kPairs.begin(), kPairs.end(), GetParam()) != kPairs.end();
    if (!is_pair && std::getenv("KBASE_TEST_EVERY_COMBINATION") == nullptr)
      GTEST_SKIP() << "KBASE_TEST_EVERY_COMBINATION is not set, and other combinations cover each pair";
  }
};

INSTANTIATE_TEST_SUITE_P(Each, Combination, testing::ValuesIn(every_combination()), name_of);

TEST_P(Combination, PassesTheSuite) {
  const Outcome outcome = run_program({{KBASE_E2E_TEST, "--gtest_filter=Storage/*", "--gtest_brief=1"},
                                       {"KBASE_TEST_BACK_ENDS=" + combination_name(GetParam())},
                                       {}},
                                      {}, std::chrono::minutes(20));
  EXPECT_EQ(outcome.exit_code, 0) << without_skipped(outcome.output) << outcome.errors;
}

TEST(Combinations, RejectAMemoryStoreWithASharedIndex) {
  const BackEnds both(Storage::Memory, Search::OpenSearch);
  if (const std::string missing = missing_for(both); !missing.empty()) GTEST_SKIP() << missing;
  const KnowledgeBase base(both, fixture_corpus_file());
  const Outcome refused = base.run({"serve"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.errors.find("choose another search or storage plugin"), std::string::npos) << refused.errors;
}

}  // namespace
}  // namespace kbase::tests
