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

/// Returns the first C code block of a manual page.
std::string c_on_page(const char* file) {
  std::ostringstream page;
  page << std::ifstream(file).rdbuf();
  const std::string text = page.str(), fence = "```c\n";
  const std::size_t begin = text.find(fence);
  if (begin == std::string::npos) return {};
  return text.substr(begin + fence.size(), text.find("```", begin + fence.size()) - begin - fence.size());
}

TEST_F(Kit, MakesThePluginThatTheAuthorGuidePrints) {
  fs::create_directory(work());
  std::ofstream(work() / "shelf.c") << c_on_page(KBASE_PLUGIN_PAGES "/writing-a-plugin.md");
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
