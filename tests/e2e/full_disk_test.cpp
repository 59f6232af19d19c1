// SPDX-License-Identifier: Apache-2.0
// Disk that fills up during an import: message, and no loss of stored data. Manual: docs/operations/durability.md.
// The disk is a small tmpfs in a private mount namespace, so the commands of one test run in one shell.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (in_a_mount_namespace("true").exit_code != 0) GTEST_SKIP() << "this user cannot create a mount namespace";
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

  /// Runs `script` in the base's folder. Its subfolder `disk` is a file system of 3 MiB; `kbase` uses it as the data
  /// folder.
  Outcome on_a_small_disk(const std::string& script) const {
    return in_a_mount_namespace("cd " + base_.folder().string() +
                                " && mkdir -p disk && mount -t tmpfs -o size=3m none disk || exit 99\n"
                                "kbase() { command=$1; shift; " +
                                program() + " $command --set data_dir=disk \"$@\"; }\n" + script);
  }

  KnowledgeBase base_{Storage::Sqlite};
};

TEST_F(FullDisk, KeepsExistingDataAndReportsARemedy) {
  const Outcome outcome = on_a_small_disk(
      "kbase import small.jsonl 2>/dev/null; kbase export >before\n"
      "kbase import large.jsonl; echo exit $?\n"
      "kbase export >after && cmp before after && echo same");
  EXPECT_EQ(outcome.output, "added 1, changed 0, unchanged 0, removed 0, rejected 0\nexit 1\nsame\n") << outcome.errors;
  EXPECT_NE(outcome.errors.find("no space left to write "), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("free disk space and try again"), std::string::npos) << outcome.errors;
}

TEST_F(FullDisk, KeepsReportedBatchesAndNoPartialOne) {
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

TEST_F(FullDisk, RefusesToServeRatherThanLoseViews) {
  const Outcome outcome = on_a_small_disk(
      "kbase import small.jsonl 2>/dev/null\n"
      "dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null\n"
      "kbase serve --set server.port=0; echo exit $?");
  EXPECT_NE(outcome.output.find("exit 1\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("no space left to write "), std::string::npos) << outcome.errors;
}

/// Disk that holds only the index.
class FullDiskOfTheIndex : public FullDisk {
 protected:
  /// Items with distinct words, so that their index does not fit into 3 MiB.
  static std::string long_items() {
    std::string lines;
    std::uint64_t word = 1;
    for (int i = 0; i < 4'000; ++i) {
      lines += R"({"id":"l)" + std::to_string(i) + R"(","title":"Marmot","category":"c","content":")";
      for (int n = 0; n < 100; ++n) lines += std::to_string(word = word * 6364136223846793005U + 1) + ' ';
      lines += "\"}\n";
    }
    return lines;
  }

  bool log_contains(const std::string& part) const {
    return eventually(kWithinFiveSeconds, [&] { return base_.log().find(part) != std::string::npos; });
  }

  /// Server whose index is on a disk of 3 MiB. The disk grows as soon as the file `room` exists.
  ServerProcess serve() const {
    const std::string script = "cd " + base_.folder().string() +
                               " && mkdir disk && mount -t tmpfs -o size=3m none disk || exit 99\n"
                               "(for i in $(seq 600); do [ -e room ] && break; sleep 0.1; done\n"
                               " mount -o remount,size=256m disk) >/dev/null 2>&1 </dev/null &\n"
                               "exec " +
                               program() + " serve --config kbase.yaml --set search.config.path=disk/index";
    return ServerProcess({.command = {"/usr/bin/unshare", "-rm", "/bin/sh", "-c", script},
                          .environment = {},
                          .error_log = base_.folder() / "log"});
  }
};

TEST_F(FullDiskOfTheIndex, ServesTheLastStateUntilThereIsSpace) {
  base_.import(fixture_corpus_file());
  ServerProcess server = serve();
  Client web(server.base_url());
  // On a busy machine, the server rejects requests that it cannot answer in time.
  const auto has = [&](const std::string& path, int total, std::chrono::milliseconds limit = kWithinFiveSeconds) {
    return eventually(limit, [&] {
      const Response answer = web.get(path);
      return answer.status == 200 && (total < 0 || answer.json()["pagination"]["total"] == total);
    });
  };
  base_.import(base_.write("long.jsonl", long_items()));
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/health").json()["status"] == "degraded"; }));
  EXPECT_TRUE(log_contains("index.behind"));
  EXPECT_TRUE(log_contains("The disk of the search index is full. Free some space"));
  EXPECT_TRUE(has("/search?q=lantern", 12));
  EXPECT_TRUE(has("/search?q=marmot", 0));
  EXPECT_TRUE(has("/item/l7", -1));
  base_.write("room", "");
  EXPECT_TRUE(has("/search?q=marmot", 4'000, std::chrono::seconds(20))) << base_.log();
  EXPECT_TRUE(has("/search?q=lantern", 12));
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/health").json()["status"] == "healthy"; }));
  EXPECT_TRUE(log_contains("index.follows"));
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace kbase::tests
