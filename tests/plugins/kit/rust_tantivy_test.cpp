// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "tests/plugins/kit/kit.hpp"

// Separate test, because its crates need minutes to build.
namespace kbase::tests {
namespace {

TEST_F(Kit, IsNotNeededForASearchIndexInRust) {
  if (std::getenv("KBASE_TEST_RUST_CRATES") == nullptr) GTEST_SKIP() << "KBASE_TEST_RUST_CRATES is not set";
  if (is_missing(KBASE_CARGO)) GTEST_SKIP() << kNoCargo;
  copy(KBASE_EXAMPLES "/rust_tantivy");
  // Uses the crates in the user's cargo home if they exist, so that they are not downloaded with each run.
  const std::vector<std::string> environment = {path_with_cargo()};
  const Outcome fetched =
      outcome_of({KBASE_CARGO, "fetch", "--quiet", "--manifest-path", work() / "Cargo.toml"}, environment);
  if (fetched.exit_code != 0) GTEST_SKIP() << "the crates of rust_tantivy are not available here: " << fetched.errors;
  build_with_script(environment);
  if (HasFatalFailure()) return;
  certify("rust_tantivy");
}

}  // namespace
}  // namespace kbase::tests
