// SPDX-License-Identifier: Apache-2.0
// `kbase backup` and `kbase restore`. Manual: docs/operations/backup.md.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

/// Batch whose items all have one version, so that a partly imported batch is visible.
std::string batch(int version, int items) {
  std::string lines;
  for (int i = 0; i < items; ++i)
    lines += json{{"id", "item-" + std::to_string(i)},
                  {"title", "version " + std::to_string(version)},
                  {"category", "shelf"},
                  {"content", std::string(200, 'x') + std::to_string(version)},
                  {"metadata", {{"created", "2026-01-01"}, {"updated", "2026-01-02"}}}}
                 .dump() +
             "\n";
  return lines;
}

std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

/// The distinct titles of an export.
std::set<std::string> titles_of(const std::string& exported) {
  std::set<std::string> titles;
  for (const std::string& line : lines_of(exported)) {
    const json record = json::parse(line);
    if (record.contains("title")) titles.insert(record["title"].get<std::string>());
  }
  return titles;
}

class BackupTest : public testing::TestWithParam<BackEnds> {
 protected:
  void SetUp() override {
    if (GetParam().storage == Storage::Memory) GTEST_SKIP() << "a memory store is filled at start";
  }

  std::string file() const { return (base_.folder() / "kept").string(); }

  Outcome back_up() const { return base_.run({"backup", file()}); }

  /// Restores, and fails the test if that fails.
  void restore_into(const KnowledgeBase& base) const {
    const Outcome restored = base.run({"restore", file()});
    EXPECT_EQ(restored.exit_code, 0) << restored.errors;
  }

  KnowledgeBase base_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Storage, BackupTest, testing::ValuesIn(chosen_or({Storage::Sqlite, Storage::JsonLines})),
                         name_of);

TEST_P(BackupTest, RestoresAnIdenticalBaseFromAServedOne) {
  base_.import(fixture_corpus_file());
  const KnowledgeBase::Key key = base_.create_key("developer");
  const KnowledgeBase::Key revoked = base_.create_key("developer");
  EXPECT_EQ(base_.run({"keys", "revoke", revoked.id}).exit_code, 0);
  ServerProcess server = base_.serve();
  {
    Client web(server.base_url(), key.text);
    for (int i = 0; i < 3; ++i) expect_data(web.get("/item/mars"));
  }
  const auto counted = [&] { return base_.exported().find(R"("type":"activity","item":"mars")") != std::string::npos; };
  ASSERT_TRUE(eventually(kWithinFiveSeconds, counted));
  ASSERT_TRUE(eventually(kWithinFiveSeconds, [&] {
    return base_.run({"keys", "usage", key.id, "--json"}).output.find(R"("requests":3)") != std::string::npos;
  }));

  const Outcome outcome = back_up();  // while the server runs
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.rfind("backed up ", 0), 0u) << outcome.output;
  EXPECT_NE(outcome.output.find(" 2 keys and the views of 1 items, at revision "), std::string::npos) << outcome.output;
  struct stat status {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  const KnowledgeBase other(GetParam());
  restore_into(other);
  EXPECT_EQ(lines_of(other.exported()), lines_of(base_.exported()));
  EXPECT_EQ(other.run({"keys", "list", "--json"}).output, base_.run({"keys", "list", "--json"}).output);
  EXPECT_EQ(other.run({"keys", "usage", "--json"}).output, base_.run({"keys", "usage", "--json"}).output);

  ServerProcess restored = other.serve();
  Client web(restored.base_url(), key.text);
  EXPECT_GE(expect_data(web.get("/item/mars"))["metadata"]["views"].get<int>(),
            fixture_corpus().item("mars")["metadata"]["views"].get<int>() + 3);
  EXPECT_EQ(Client(restored.base_url(), revoked.text).get("/item/mars").status, 401);
  EXPECT_TRUE(
      eventually(kWithinFiveSeconds, [&] { return web.get("/search?q=lantern").json()["pagination"]["total"] == 12; }));
}

TEST_P(BackupTest, RestoresIntoAnEmptyServedBase) {
  base_.import(fixture_corpus_file());
  const KnowledgeBase::Key key = base_.create_key("developer");
  ASSERT_EQ(back_up().exit_code, 0);
  const KnowledgeBase other(GetParam());
  ServerProcess server = other.serve();
  Client web(server.base_url());
  EXPECT_EQ(web.get("/item/mars").status, 404);
  restore_into(other);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/item/mars").status == 200; }));
  EXPECT_TRUE(
      eventually(kWithinFiveSeconds, [&] { return web.get("/search?q=lantern").json()["pagination"]["total"] == 12; }));
  Client with_key(server.base_url(), key.text);
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return with_key.get("/item/mars").status == 200; }));
}

TEST_P(BackupTest, RejectsABaseThatIsNotEmpty) {
  base_.import(base_.write("a.jsonl", batch(1, 3)));
  ASSERT_EQ(back_up().exit_code, 0);
  const std::string before = base_.exported();
  const Outcome refused = base_.run({"restore", file()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(
      refused.errors.find("the base has 3 items and 1 categories; a backup can only be restored into an empty base: "
                          "choose another data_dir"),
      std::string::npos)
      << refused.errors;
  EXPECT_EQ(base_.exported(), before);
}

TEST_P(BackupTest, RejectsAnIncompleteBackupAndChangesNothing) {
  base_.import(base_.write("a.jsonl", batch(1, 300)));
  ASSERT_EQ(back_up().exit_code, 0);
  const KnowledgeBase other(GetParam());
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 5);
  const Outcome cut_off = other.run({"restore", file()});
  EXPECT_EQ(cut_off.exit_code, 1);
  EXPECT_NE(cut_off.errors.find(file() + ": the gzip data is truncated: the file is incomplete"), std::string::npos)
      << cut_off.errors;
  const Outcome no_backup = other.run({"restore", (base_.folder() / "a.jsonl").string()});
  EXPECT_NE(no_backup.errors.find("a.jsonl:1: is not the first line of a backup"), std::string::npos)
      << no_backup.errors;
  EXPECT_EQ(other.exported(), "");
}

TEST_P(BackupTest, CreatesNoBaseIfTheBackupIsRejected) {
  base_.import(base_.write("a.jsonl", batch(1, 300)));
  ASSERT_EQ(back_up().exit_code, 0);
  const std::filesystem::path never = base_.folder() / "never";
  const std::string place = "data_dir=" + never.string();
  EXPECT_EQ(base_.run({"restore", file(), "--set", place, "--set", "instance=recipes"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(never));
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) - 5);
  EXPECT_EQ(base_.run({"restore", file(), "--set", place}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(never));
}

TEST_P(BackupTest, AcceptsAnotherInstanceOnlyIfItIsNamed) {
  base_.import(base_.write("a.jsonl", batch(1, 3)));
  ASSERT_EQ(back_up().exit_code, 0);
  const KnowledgeBase other(GetParam());
  const Outcome refused = other.run({"restore", file(), "--set", "instance=recipes"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("is a backup of the instance 'kbase', but this base is 'recipes'"), std::string::npos)
      << refused.errors;
  EXPECT_NE(refused.errors.find("--from-instance"), std::string::npos) << refused.errors;
  const Outcome taken = other.run({"restore", file(), "--set", "instance=recipes", "--from-instance", "kbase"});
  EXPECT_EQ(taken.exit_code, 0) << taken.errors;
}

/// Imports batches of different versions one after another; each backup must contain exactly one of them.
TEST_P(BackupTest, ContainsOneRevisionWhileImportsRun) {
  base_.import(base_.write("a.jsonl", batch(0, 500)));
  for (int version = 1; version <= 6; ++version) {
    base_.write("a.jsonl", batch(version, 500));
    ChildProcess import = base_.start({"import", (base_.folder() / "a.jsonl").string()});
    const Outcome outcome = back_up();
    ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
    EXPECT_EQ(import.wait(std::chrono::seconds(30)), 0) << base_.log();
    const KnowledgeBase other(GetParam());
    restore_into(other);
    const std::set<std::string> titles = titles_of(other.exported());
    EXPECT_EQ(titles.size(), 1u) << "half of two batches";
    EXPECT_TRUE(titles.contains("version " + std::to_string(version)) ||
                titles.contains("version " + std::to_string(version - 1)));
  }
}

class BackupOfFilesTest : public testing::Test {
 protected:
  KnowledgeBase base_{Storage::Sqlite};
};

TEST_F(BackupOfFilesTest, KeepsTheOldBackupIfKilled) {
  base_.import(base_.write("a.jsonl", batch(1, 3000)));
  const std::string file = (base_.folder() / "kept").string();
  ASSERT_EQ(base_.run({"backup", file}).exit_code, 0);
  const auto bytes_of = [](const std::string& name) {
    std::ifstream stream(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string before = bytes_of(file);
  base_.import(base_.write("a.jsonl", batch(2, 3000)));
  for (int round = 0; round < 4; ++round) {
    ChildProcess backup = base_.start({"backup", file});
    const auto begun = [&] {
      for (const auto& entry : std::filesystem::directory_iterator(base_.folder()))
        if (entry.path().filename().string().starts_with("kept.part-")) return true;
      return false;
    };
    if (!eventually(std::chrono::seconds(10), [&] { return begun() || bytes_of(file) != before; })) break;
    backup.send_signal(SIGKILL);
    const auto ended = backup.wait(std::chrono::seconds(10));
    if (ended == 0) continue;  // the backup finished before the signal
    EXPECT_EQ(base_.run({"restore", file, "--set", "data_dir=" + (base_.folder() / std::to_string(round)).string()})
                  .exit_code,
              0)
        << "the file with that name is complete";
  }
}

TEST_F(BackupOfFilesTest, IsCompleteWhenRestoredAgainAfterAKill) {
  base_.import(base_.write("a.jsonl", batch(1, 3000)));
  for (int i = 0; i < 5; ++i) base_.create_key("developer");
  const std::string file = (base_.folder() / "kept").string();
  ASSERT_EQ(base_.run({"backup", file}).exit_code, 0);
  const std::set<std::string> wanted = lines_of(base_.exported());
  const std::string keys = base_.run({"keys", "list", "--json"}).output;
  for (int round = 0; round < 4; ++round) {
    const std::string folder = (base_.folder() / ("restored-" + std::to_string(round))).string();
    const std::string set = "data_dir=" + folder;
    ChildProcess restore = base_.start({"restore", file, "--set", set});
    ASSERT_TRUE(eventually(std::chrono::seconds(10), [&] { return std::filesystem::exists(folder + "/content.db"); }));
    ::poll(nullptr, 0, 60 * round);
    restore.send_signal(SIGKILL);
    const auto ended = restore.wait(std::chrono::seconds(10));
    const Outcome content = base_.run({"export", "--set", set});
    const bool is_restored = lines_of(content.output) == wanted;
    EXPECT_TRUE(is_restored || content.output.empty()) << "a partial backup";
    if (!is_restored) {
      const Outcome again = base_.run({"restore", file, "--set", set});
      EXPECT_EQ(again.exit_code, 0) << again.errors;
    }
    EXPECT_EQ(lines_of(base_.run({"export", "--set", set}).output), wanted) << "ended with " << ended.value_or(-1);
    EXPECT_EQ(base_.run({"keys", "list", "--json", "--set", set}).output, keys);
  }
}

TEST_F(BackupOfFilesTest, ReportsAFileSizeLimitAndKeepsTheOldBackup) {
  const std::string file = (base_.folder() / "kept").string();
  base_.create_key("developer");
  ASSERT_EQ(base_.run({"backup", file}).exit_code, 0);
  const auto size = std::filesystem::file_size(file);
  std::string noise;  // incompressible
  std::uint64_t word = 1;
  for (int i = 0; i < 400'000; ++i) noise += static_cast<char>('a' + (word = word * 6364136223846793005U + 1) % 25);
  std::string lines;
  for (int i = 0; i < 8; ++i)
    lines += json{{"id", std::to_string(i)}, {"title", ""}, {"category", "c"}, {"content", noise}}.dump() + "\n";
  base_.import(base_.write("a.jsonl", lines));
  const Outcome outcome = run_program({.command = {"/bin/bash", "-c",
                                                   "ulimit -f 64; exec " + program() + " backup " + file +
                                                       " --config " + (base_.folder() / "kbase.yaml").string()},
                                       .environment = {},
                                       .error_log = {}});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find(file + ": the file is larger than this process or disk allows"), std::string::npos)
      << outcome.errors;
  EXPECT_EQ(std::filesystem::file_size(file), size);
  for (const auto& entry : std::filesystem::directory_iterator(base_.folder()))
    EXPECT_EQ(entry.path().string().find(".part-"), std::string::npos) << entry.path();
}

TEST_F(BackupOfFilesTest, ReportsAFullDiskAndKeepsTheOldBackup) {
  base_.import(base_.write("a.jsonl", batch(1, 50)));
  const std::string script =
      "cd " + base_.folder().string() + " && mkdir disk && mount -t tmpfs -o size=64k none disk || exit 99\n" +
      program() + " backup disk/kept --config kbase.yaml || exit 98\n" +
      "cp disk/kept before; dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null\n" + program() +
      " backup disk/kept --config kbase.yaml; echo exit $?; cmp before disk/kept && echo same; ls disk";
  const Outcome outcome = run_program(
      {.command = {"/usr/bin/unshare", "-rm", "/bin/sh", "-c", script}, .environment = {}, .error_log = {}});
  if (outcome.exit_code != 0) GTEST_SKIP() << "this user cannot create a mount namespace: " << outcome.errors;
  EXPECT_NE(outcome.output.find("exit 1\nsame\nfill\nkept\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("disk/kept: no space left to write it; free disk space and try again"),
            std::string::npos)
      << outcome.errors;
}

TEST_F(BackupOfFilesTest, WritesToAPipe) {
  base_.import(base_.write("a.jsonl", batch(1, 50)));
  const Outcome outcome = base_.run({"backup", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors.rfind("backed up 50 items", 0), 0u) << outcome.errors;
  const std::string file = base_.write("piped", outcome.output).string();
  const KnowledgeBase other(Storage::Sqlite);
  EXPECT_EQ(other.run({"restore", file}).exit_code, 0);
  EXPECT_EQ(lines_of(other.exported()), lines_of(base_.exported()));
}

TEST_F(BackupOfFilesTest, RebuildsTheIndex) {
  base_.import(base_.write("a.jsonl", batch(1, 5)));
  const std::string file = (base_.folder() / "kept").string();
  ASSERT_EQ(base_.run({"backup", file}).exit_code, 0);
  base_.import(base_.write("b.jsonl", R"({"id":"later","title":"Marmot","category":"c"})"));
  // Keep the index folder, delete the store.
  std::filesystem::remove(base_.folder() / "data/content.db");
  std::filesystem::remove(base_.folder() / "data/state.db");
  ASSERT_EQ(base_.run({"restore", file}).exit_code, 0);
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  const auto total = [&](const std::string& word) {
    return web.get("/search?q=" + word).json()["pagination"]["total"];
  };
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return total("version") == 5; }));
  EXPECT_EQ(total("marmot"), 0);
}

TEST(BackupOfMemory, IsRejectedWithARemedy) {
  const KnowledgeBase base(Storage::Memory);
  for (const char* const command : {"backup", "restore"}) {
    const Outcome outcome = base.run({command, (base.folder() / "kept").string()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.errors.find("storage 'memory' is not persistent, so there is nothing to back up or restore"),
              std::string::npos)
        << outcome.errors;
  }
}

TEST(InstanceOfAStore, IsRejectedByAnotherInstance) {
  const KnowledgeBase base(Storage::Sqlite);
  base.import(base.write("a.jsonl", batch(1, 1)));
  const Outcome refused = base.run({"export", "--set", "instance=recipes"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("content.db is the content store of the instance 'kbase', but this configuration is "
                                "for the instance 'recipes'; set instance to 'kbase', or configure another file"),
            std::string::npos)
      << refused.errors;
  EXPECT_EQ(refused.errors.find("content.db is"), refused.errors.rfind("content.db is")) << "reported twice";
  EXPECT_EQ(base.run({"export", "--set", "instance=kbase"}).exit_code, 0);
}

}  // namespace
}  // namespace kbase::tests
