// SPDX-License-Identifier: Apache-2.0
// Index next to the store: `kbase index`, several processes with one index, damage and changed settings.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/e2e/metrics.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Number of items that takes long enough to index that the server serves meanwhile.
constexpr int kMany = 20'000;

std::string many_items() {
  std::string lines;
  for (int i = 0; i < kMany; ++i) {
    lines += R"({"id":"m)" + std::to_string(i) + R"(","title":"Marmot )" + std::to_string(i) +
             R"(","category":"many","content":")";
    for (int n = 0; n < 10; ++n) lines += "It sits on stone " + std::to_string(i * 10 + n) + ". ";
    lines += "\"}\n";
  }
  return lines;
}

/// Holds the index's write lock, as a writer in another process does.
class OtherWriter {
 public:
  explicit OtherWriter(const fs::path& index)
      : lock_(::open((index / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    EXPECT_EQ(::flock(lock_, LOCK_EX | LOCK_NB), 0);
  }
  ~OtherWriter() { ::close(lock_); }
  OtherWriter(const OtherWriter&) = delete;
  OtherWriter& operator=(const OtherWriter&) = delete;

 private:
  const int lock_;
};

class SearchIndexTest : public testing::Test {
 protected:
  fs::path index() const { return index_; }

  /// Returns the newest segment file. A small index has one segment.
  fs::path segment() const {
    fs::path youngest;
    for (const auto& entry : fs::directory_iterator(index()))
      if (entry.path().filename().string().starts_with("segment-") &&
          (youngest.empty() || entry.last_write_time() > fs::last_write_time(youngest)))
        youngest = entry.path();
    EXPECT_FALSE(youngest.empty()) << "no segment in " << index();
    return youngest;
  }

  static void flip_a_bit(const fs::path& file, std::uintmax_t at) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(at));
    const int old = bytes.get();
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(old ^ 1));
  }

  std::string status(std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"index", "status"});
    const Outcome outcome = base_.run(options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return outcome.output;
  }

  void expect_sound() const {
    const Outcome verified = base_.run({"index", "verify"});
    EXPECT_EQ(verified.exit_code, 0) << verified.errors;
    EXPECT_EQ(verified.output, "the index is valid\n");
  }

  /// Returns `pagination.total`. Retries: a server on a busy machine rejects requests that it cannot answer in time.
  static json total_of(Client& web, const std::string& query) {
    json answer;
    eventually(kWithinFiveSeconds, [&] {
      answer = web.get("/search?match=all&q=" + query).json();
      return answer.contains("pagination") || answer["error"]["message"] != "The server is overloaded.";
    });
    return answer.contains("pagination") ? answer["pagination"]["total"] : answer;
  }

  static testing::AssertionResult contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no \"" << part << "\" in: " << text;
  }

  bool log_contains(const std::string& part) const {
    return eventually(kWithinFiveSeconds, [&] { return base_.log().find(part) != std::string::npos; });
  }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};

 private:
  const fs::path index_ = fs::directory_iterator(base_.folder() / "data" / "index")->path();  // of its only format
};

TEST_F(SearchIndexTest, IsReportedByStatus) {
  EXPECT_TRUE(contains(status(), "plugin     native "));
  EXPECT_TRUE(contains(status(), "documents  " + std::to_string(fixture_corpus().items().size()) + "\n"));
  EXPECT_TRUE(contains(status(), "state      up to date\n"));
  EXPECT_TRUE(contains(status({"--set", "search.config.language=none"}), "state      built with other settings: "));
  fs::remove_all(index());
  EXPECT_TRUE(contains(status(), "state      no complete index: "));
  EXPECT_FALSE(fs::exists(index())) << "a check creates nothing";
}

TEST_F(SearchIndexTest, IsRebuiltOnDemandWithAProgressBarOnATerminal) {
  if (const std::string reason = missing_terminal(); !reason.empty()) GTEST_SKIP() << reason;
  base_.import(base_.write("many.jsonl", many_items()));
  const std::string command = program() + " index rebuild --config " + (base_.folder() / "kbase.yaml").string();
  const Outcome outcome =
      run_program({.command = {"/usr/bin/script", "-qec", command, "/dev/null"}, .environment = {}, .error_log = {}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "index [###"));
  EXPECT_TRUE(contains(outcome.output, "up to date"));
}

TEST_F(SearchIndexTest, IsNotRebuiltWhileAnotherProcessWritesIt) {
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  {
    const OtherWriter other(index());
    const Outcome rebuilt = base_.run({"index", "rebuild"});
    EXPECT_EQ(rebuilt.exit_code, 1);
    EXPECT_TRUE(contains(rebuilt.errors, index().string() + " is already being written by another process"));
    base_.import(base_.write("new.jsonl", R"({"id":"new","title":"Quokka","category":"c"})"));
    EXPECT_TRUE(contains(status(), "state      2 changes behind: "));
    expect_sound();
    EXPECT_EQ(total_of(web, "lantern"), 12);
    EXPECT_EQ(total_of(web, "quokka"), 0);
  }
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return total_of(web, "quokka") == 1; }));
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(base_.log().find("index.behind"), std::string::npos) << base_.log();
}

TEST_F(SearchIndexTest, AnswersFromTheOldStateWhileAnotherProcessRebuildsIt) {
  base_.import(base_.write("many.jsonl", many_items()));
  const ServerProcess server = base_.serve();
  Client web(server.base_url());
  ChildProcess rebuild = base_.start({"index", "rebuild"});
  int searches = 0;
  std::optional<int> ended;
  while (!(ended = rebuild.wait(std::chrono::milliseconds(0)))) {
    ASSERT_EQ(total_of(web, "marmot"), kMany) << "after " << searches;
    ++searches;
  }
  EXPECT_EQ(ended, 0) << base_.log();
  EXPECT_GT(searches, 3);
  EXPECT_EQ(total_of(web, "marmot"), kMany);
}

TEST_F(SearchIndexTest, StaysConsistentUnderManyWriters) {
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  for (int round = 0; round < 12; ++round) {
    ChildProcess rebuild = base_.start({"index", "rebuild"});
    const std::string id = "n" + std::to_string(round);
    base_.import(base_.write(id + ".jsonl", R"({"id":")" + id + R"(","title":"Numbat","category":"c"})"));
    expect_sound();
    EXPECT_EQ(total_of(web, "lantern"), 12);
    EXPECT_TRUE(rebuild.wait(std::chrono::seconds(20)));
  }
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return total_of(web, "numbat") == 12; }));
  EXPECT_EQ(server.stop(), 0);
  EXPECT_TRUE(contains(status(), "state      up to date\n"));
  expect_sound();
}

TEST_F(SearchIndexTest, IsRejectedByAnotherServer) {
  const fs::path shared = base_.folder() / "shared";
  const std::vector<std::string> setting{"--set", "search.config.path=" + shared.string()};
  const ServerProcess server = base_.serve(setting);
  const KnowledgeBase other(Storage::Sqlite);
  const Outcome second = other.run({"serve", setting[0], setting[1]});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(contains(second.errors, shared.string()));
  EXPECT_TRUE(contains(second.errors, "set search.config.path of this server to another folder"));
  Client web(server.base_url());
  EXPECT_EQ(total_of(web, "lantern"), 12);
}

TEST_F(SearchIndexTest, AnswersUntilItIsRebuiltWithOtherSettings) {
  auto other = std::make_unique<OtherWriter>(index());
  ServerProcess server = base_.serve({"--set", "search.config.language=none", "--set", "admin.port=0"});
  Client web(server.base_url());
  const std::string tag = web.get("/search?q=galaxies").field("etag");
  EXPECT_EQ(total_of(web, "galaxy"), total_of(web, "galaxies")) << "stemmed, like the old state";
  EXPECT_EQ(Client(admin_url(base_)).get("/readyz").status, 200);
  EXPECT_EQ(base_.log().find("index.rebuil"), std::string::npos) << base_.log();
  other.reset();
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return total_of(web, "galaxy") != total_of(web, "galaxies"); }));
  EXPECT_TRUE(
      log_contains("the search index is being rebuilt: it was built with other settings; searches use it meanwhile"));
  EXPECT_TRUE(log_contains("index.rebuilt"));
  const Response now = web.get("/search?q=galaxies", {"If-None-Match: " + tag});
  EXPECT_EQ(now.status, 200) << "a result with the old settings must not be reused with the new ones";
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(SearchIndexTest, IsBuiltWhileOtherEndpointsAnswer) {
  base_.import(base_.write("many.jsonl", many_items()));
  fs::remove_all(index());
  fs::create_directories(index());
  auto other = std::make_unique<OtherWriter>(index());
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  const Response search = web.get("/search?q=marmot");
  expect_error(search, 503, "SERVICE_UNAVAILABLE");
  EXPECT_GE(search.number("retry-after"), 1);
  expect_data(web.get("/recent"));
  expect_data(web.get("/item/m7"));
  other.reset();
  EXPECT_TRUE(eventually(std::chrono::seconds(20), [&] { return total_of(web, "marmot") == kMany; })) << base_.log();
  EXPECT_EQ(server.stop(), 0);
}

TEST_F(SearchIndexTest, DoesNotDelayTheEndOfAServerThatBuildsIt) {
  base_.import(base_.write("many.jsonl", many_items()));
  fs::remove_all(index());
  ServerProcess server = base_.serve();
  EXPECT_TRUE(log_contains("index.rebuilding"));
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(base_.log().find("index.rebuilt"), std::string::npos) << "it was interrupted";
  EXPECT_EQ(base_.log().find("index.behind"), std::string::npos) << base_.log();
  EXPECT_TRUE(contains(status(), "no complete index"));
}

TEST_F(SearchIndexTest, NamesTheDamagedFileAndSection) {
  flip_a_bit(segment(), fs::file_size(segment()) / 2);
  const Outcome section = base_.run({"index", "verify"});
  EXPECT_EQ(section.exit_code, 1);
  EXPECT_TRUE(contains(section.errors, "The search index is damaged. Rebuild it."));
  EXPECT_TRUE(contains(section.errors, segment().string() + " has sections with a wrong checksum: "));
  fs::resize_file(segment(), fs::file_size(segment()) - 1);
  EXPECT_TRUE(contains(base_.run({"index", "verify"}).errors, segment().string() + " is truncated"));
  const fs::path gone = segment();
  fs::remove(gone);
  EXPECT_TRUE(contains(base_.run({"index", "verify"}).errors, "damaged. Rebuild it."));
  EXPECT_TRUE(contains(base_.run({"index", "verify"}).errors, gone.string()));
  fs::resize_file(index() / "manifest", 10);
  EXPECT_TRUE(contains(base_.run({"index", "verify"}).errors, "manifest: wrong checksum"));
  EXPECT_TRUE(contains(status(), "manifest: wrong checksum"));
  EXPECT_EQ(base_.run({"index", "rebuild"}).exit_code, 0);
  expect_sound();
}

TEST_F(SearchIndexTest, IsRebuiltAutomaticallyIfItsStartIsDamaged) {
  for (const bool is_manifest : {true, false}) {
    const fs::path file = is_manifest ? index() / "manifest" : segment();
    fs::resize_file(file, 10);
    ServerProcess server = base_.serve();
    Client web(server.base_url());
    EXPECT_EQ(total_of(web, "lantern"), 12);
    EXPECT_TRUE(log_contains("the search index is being rebuilt: it is incomplete or damaged"));
    EXPECT_TRUE(contains(base_.log(), is_manifest ? "manifest: wrong checksum" : file.string() + " is truncated"));
    EXPECT_EQ(server.stop(), 0);
    expect_sound();
  }
}

TEST_F(SearchIndexTest, IsRebuiltAutomaticallyIfNoSearchWouldDetectTheDamage) {
  const fs::path damaged = segment();
  flip_a_bit(damaged, fs::file_size(damaged) / 2);
  ServerProcess server = base_.serve();
  Client web(server.base_url());
  web.get("/search?q=lantern");
  EXPECT_TRUE(log_contains("index.damaged"));
  EXPECT_TRUE(contains(base_.log(), damaged.string() + " has sections with a wrong checksum: "));
  EXPECT_TRUE(log_contains("index.rebuilt"));
  EXPECT_EQ(total_of(web, "lantern"), 12);
  EXPECT_EQ(server.stop(), 0);
  expect_sound();
}

}  // namespace
}  // namespace kbase::tests
