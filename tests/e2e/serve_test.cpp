// SPDX-License-Identifier: Apache-2.0
// `kbase serve`: start, stop and durability. Manual: docs/operations/signals.md and durability.md.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

class ServeTest : public ChangingTest {};

INSTANTIATE_TEST_SUITE_P(Storage, ServeTest, every_storage(), name_of);

TEST_P(ServeTest, PrintsItsAddressAndNothingElse) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  ServerProcess server = base.serve();
  EXPECT_TRUE(std::regex_match(server.base_url(), std::regex("http://127\\.0\\.0\\.1:[1-9]\\d*/api/v1")))
      << server.base_url();
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(server.extra_output(), "");
}

TEST_P(ServeTest, DrainsOnTermAndInterruptWhileAClientStaysConnected) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  for (const int signal : {SIGTERM, SIGINT}) {
    ServerProcess server = base.serve();
    Client web(server.base_url());
    expect_data(web.get("/recent"));
    server.send_signal(signal);
    EXPECT_EQ(server.wait(std::chrono::seconds(15)), 0) << base.log();
    EXPECT_THROW(web.get("/recent"), std::runtime_error);
  }
}

TEST_P(ServeTest, ContinuesOnHangup) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  ServerProcess server = base.serve();
  server.send_signal(SIGHUP);
  EXPECT_EQ(Client(server.base_url()).get("/recent").status, 200);
  EXPECT_EQ(server.stop(), 0);
}

TEST_P(ServeTest, KeepsEverythingOverARestart) {
  ServedBase served(GetParam());
  const std::vector<std::string> paths{"/categories", "/category/kitchen?include_items=true", "/recent?limit=50",
                                       "/popular?limit=50&period=all", "/search?q=lantern"};
  std::vector<std::string> before;
  for (const std::string& path : paths)
    before.push_back(expect_envelope(served.client().get(path), path[1] == 's').dump());
  served.restart();
  for (std::size_t i = 0; i < paths.size(); ++i)
    EXPECT_EQ(expect_envelope(served.client().get(paths[i]), paths[i][1] == 's').dump(), before[i]) << paths[i];
}

TEST_P(ServeTest, RejectsASecondServerOnTheSameData) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  ServerProcess server = base.serve();
  const Outcome second = base.run({"serve"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.errors.find((base.folder() / "data").string()), std::string::npos) << second.errors;
  EXPECT_EQ(second.output, "");
  EXPECT_EQ(Client(server.base_url()).get("/recent").status, 200);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(base.serve().stop(), 0);
}

TEST_P(ServeTest, RejectsAPortInUse) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  const KnowledgeBase other(GetParam(), fixture_corpus_file());
  const ServerProcess server = base.serve();
  const std::string port = server.base_url().substr(17, server.base_url().find('/', 17) - 17);
  const Outcome second = other.run({"serve", "--set", "server.port=" + port});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.errors.find(port), std::string::npos) << second.errors;
}

TEST_P(ServeTest, ServesAnEmptyKnowledgeBase) {
  const KnowledgeBase base(GetParam());
  const ServerProcess server = base.serve();
  Client web(server.base_url());
  EXPECT_EQ(expect_data(web.get("/categories")), json::array());
  EXPECT_EQ(expect_data(web.get("/recent")), json::array());
  EXPECT_EQ(expect_data(web.get("/popular")), json::array());
  EXPECT_EQ(expect_envelope(web.get("/search?q=anything"), true)["pagination"]["total"], 0);
  EXPECT_EQ(expect_data(web.get("/stats"))["total_items"], 0);
  EXPECT_EQ(web.get("/health").json()["status"], "healthy");
}

TEST_P(ServeTest, CreatesItsDataFolderOnlyForItsOwner) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  const ServerProcess server = base.serve();
  EXPECT_EQ(std::filesystem::status(base.folder() / "data").permissions(), std::filesystem::perms::owner_all);
}

TEST_P(ServeTest, MovesItsBasePath) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  const ServerProcess server = base.serve({"--set", "server.base_path=/kb/v7"});
  EXPECT_TRUE(server.base_url().ends_with("/kb/v7")) << server.base_url();
  expect_data(Client(server.base_url()).get("/recent"));
}

TEST_P(ServeTest, LogsJsonLinesWithPathsAndCounts) {
  const KnowledgeBase base(GetParam(), fixture_corpus_file());
  EXPECT_EQ(base.serve().stop(), 0);
  std::istringstream lines(base.log());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(json::accept(line)) << line;
  EXPECT_GT(count, 0);
  EXPECT_NE(base.log().find((base.folder() / "data").string()), std::string::npos) << base.log();
  EXPECT_NE(base.log().find(std::to_string(fixture_corpus().items().size())), std::string::npos) << base.log();
}

TEST(Serve, AnswersEvenIfNoProcessReadsItsLog) {
  const KnowledgeBase base(Storage::Sqlite, fixture_corpus_file());
  const std::filesystem::path log = base.folder() / "log";
  std::filesystem::remove(log);
  ASSERT_EQ(::mkfifo(log.c_str(), 0600), 0);
  const int reader = ::open(log.c_str(), O_RDWR | O_CLOEXEC);
  {
    ServerProcess server = base.serve();
    Client web(server.base_url());
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(web.get("/health").status, 200) << i;
    EXPECT_EQ(server.stop(), 0);
  }
  ::close(reader);
}

TEST(Serve, ReportsANewerOrCorruptStore) {
  const KnowledgeBase base(Storage::Sqlite, fixture_corpus_file());
  base.write("data/content.db", "this is no database, whatever its name says, and it is long enough to be looked at");
  const Outcome outcome = base.run({"serve"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("content.db"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace kbase::tests
