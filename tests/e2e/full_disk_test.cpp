// SPDX-License-Identifier: Apache-2.0
// A disk that fills up while content is imported: what is said, and that what was there stays (contract section 2). The
// disk is a small tmpfs of a mount namespace of its own, so the commands of one test run in one shell.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (in_a_mount_namespace("true").exit_code != 0) GTEST_SKIP() << "this user may not make a mount namespace";
    base_.write("small.jsonl", R"({"id":"small","title":"Small","category":"c"})");
    std::string lines;
    for (int i = 0; i < 20'000; ++i)
      lines += R"({"id":"b)" + std::to_string(i) + R"(","title":"Large","category":"c","content":")" +
               std::string(400, 'x') + " " + std::to_string(i) + "\"}\n";
    base_.write("large.jsonl", lines);
  }

  static Outcome in_a_mount_namespace(const std::string& script) {
    return run_program(
        {.command = {"/usr/bin/unshare", "-rm", "/bin/sh", "-c", script}, .environment = {}, .error_log = {}});
  }

  /// Runs `script` in the base's folder, whose subfolder `disk` has room for 3 MiB; `kbase` works in it.
  Outcome on_a_small_disk(const std::string& script) const {
    return in_a_mount_namespace("cd " + base_.folder().string() +
                                " && mkdir -p disk && mount -t tmpfs -o size=3m none disk || exit 99\n"
                                "kbase() { command=$1; shift; " +
                                program() + " $command --set data_dir=disk \"$@\"; }\n" + script);
  }

  KnowledgeBase base_{Storage::Sqlite};
};

TEST_F(FullDisk, KeepsWhatWasThereAndSaysWhatToDo) {
  const Outcome outcome = on_a_small_disk(
      "kbase import small.jsonl 2>/dev/null; kbase export >before\n"
      "kbase import large.jsonl; echo exit $?\n"
      "kbase export >after && cmp before after && echo same");
  EXPECT_EQ(outcome.output, "added 1, changed 0, unchanged 0, removed 0, rejected 0\nexit 1\nsame\n") << outcome.errors;
  EXPECT_NE(outcome.errors.find("no space left to write "), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("free some on its disk and try again"), std::string::npos) << outcome.errors;
}

TEST_F(FullDisk, KeepsTheBatchesThatWereReportedAndNoHalfOne) {
  const Outcome outcome = on_a_small_disk(
      "kbase import --on-error skip large.jsonl; echo exit $?\n"
      "mount -o remount,size=64m disk\n"
      "kbase export | grep -c Large");
  const std::string::size_type line = outcome.output.rfind("exit 1\n");
  ASSERT_NE(line, std::string::npos) << outcome.output << outcome.errors;
  const int kept = std::stoi(outcome.output.substr(line + 7));
  EXPECT_EQ(kept % 1000, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("added " + std::to_string(kept) + ","), std::string::npos) << outcome.output;
}

TEST_F(FullDisk, RefusesToServeRatherThanToLoseViews) {
  const Outcome outcome = on_a_small_disk(
      "kbase import small.jsonl 2>/dev/null\n"
      "dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null\n"
      "kbase serve --set server.port=0; echo exit $?");
  EXPECT_NE(outcome.output.find("exit 1\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("no space left to write "), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
