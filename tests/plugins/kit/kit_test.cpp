// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "tests/plugins/kit/kit.hpp"

namespace kbase::tests {
namespace {

TEST_F(Kit, HasATemplateThatBuildsAndIsCertified) {
  copy(prefix() / "share/kbase/plugin-template");
  build_and_certify_with_cmake();
}

TEST_F(Kit, BuildsAStorageInCpp) {
  copy(KBASE_EXAMPLES "/jsonl_store");
  build_and_certify_with_cmake();
}

TEST_F(Kit, BuildsARateLimitStoreInPlainC) {
  copy(KBASE_EXAMPLES "/c_rate_limit");
  for (const std::string compiler : {KBASE_GCC, KBASE_CLANG}) {
    if (is_missing(compiler)) continue;
    build_with_script({"PKG_CONFIG_PATH=" + (prefix() / "lib/pkgconfig").string(), "CC=" + compiler});
    if (HasFatalFailure()) return;
    certify("c_rate_limit");
  }
}

/// Returns the first C code block of a manual page.
std::string first_c_block(const char* file) {
  std::ostringstream page;
  page << std::ifstream(file).rdbuf();
  const std::string text = page.str(), fence = "```c\n";
  const std::size_t begin = text.find(fence);
  if (begin == std::string::npos) return {};
  return text.substr(begin + fence.size(), text.find("```", begin + fence.size()) - begin - fence.size());
}

TEST_F(Kit, BuildsThePluginOfTheAuthorGuide) {
  fs::create_directory(work());
  std::ofstream(work() / "shelf.c") << first_c_block(KBASE_PLUGIN_PAGES "/writing-a-plugin.md");
  const std::string build =
      "cd '" + work().string() +
      "' && $CC -std=c99 -Wall -Wextra -Werror $(pkg-config --cflags kbase-plugin) shelf.c -o kbase-shelf.so "
      "$(pkg-config --libs kbase-plugin)";
  for (const std::string compiler : {KBASE_GCC, KBASE_CLANG}) {
    if (is_missing(compiler)) continue;
    run({"/bin/sh", "-c", build}, {"PKG_CONFIG_PATH=" + (prefix() / "lib/pkgconfig").string(), "CC=" + compiler});
    if (HasFatalFailure()) return;
    certify("shelf");
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
