// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/kit/kit.hpp"

namespace kbase::tests {
namespace {

TEST_F(Kit, HasATemplateThatBuildsAndIsCertified) {
  copy(prefix() / "share/kbase/plugin-template");
  build_and_certify_with_cmake();
}

TEST_F(Kit, MakesAStorageInCpp) {
  copy(KBASE_EXAMPLES "/jsonl_store");
  build_and_certify_with_cmake();
}

TEST_F(Kit, MakesARateLimitStoreInPlainC) {
  copy(KBASE_EXAMPLES "/c_rate_limit");
  for (const std::string compiler : {KBASE_GCC, KBASE_CLANG}) {
    if (is_missing(compiler)) continue;
    build_with_script({"PKG_CONFIG_PATH=" + (prefix() / "lib/pkgconfig").string(), "CC=" + compiler});
    if (HasFatalFailure()) return;
    certify("c_rate_limit");
  }
}

TEST_F(Kit, IsNotNeededForACacheInRust) {
  if (is_missing(KBASE_CARGO)) GTEST_SKIP() << kNoCargo;
  copy(KBASE_EXAMPLES "/rust_cache");
  build_with_script({path_with_cargo(), "CARGO_HOME=" + (work() / "cargo").string()});
  if (HasFatalFailure()) return;
  certify("rust_cache");
}

}  // namespace
}  // namespace kbase::tests
