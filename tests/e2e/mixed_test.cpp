// SPDX-License-Identifier: Apache-2.0
// 251,020 items of many kinds and languages, imported and searched with queries of a web log. Needs the data files of
// KBASE_TEST_DATA.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include "domain/model/function_words.hpp"
#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

constexpr std::size_t kItems = 251'020;
constexpr std::size_t kCategories = 3'370;
constexpr std::size_t kTooLongIds = 6;  // ids over 256 bytes are rejected

std::size_t lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
}

class MixedItems : public testing::Test {
 protected:
  static void TearDownTestSuite() {
    server_.reset();
    base_.reset();
  }

  void SetUp() override {
    const char* folder = std::getenv("KBASE_TEST_DATA");
    data_ = folder == nullptr ? "" : folder;
    if (!std::filesystem::exists(data_ / "mixed-250k.jsonl.gz"))
      GTEST_SKIP() << "KBASE_TEST_DATA names no folder with mixed-250k.jsonl.gz";
    if (!server_) import_and_serve();
    web_ = std::make_unique<Client>(server_->base_url());
  }

  json search(const std::string& q, const std::string& parameters = "&limit=100") {
    return expect_envelope(web_->get("/search?q=" + encoded(q) + parameters), true);
  }

  std::size_t total(const std::string& q, const std::string& parameters = "") {
    return search(q, "&limit=1" + parameters)["pagination"]["total"];
  }

  /// Returns every `step`-th query of the log.
  std::vector<std::string> queries(std::size_t step) const {
    std::vector<std::string> chosen;
    std::ifstream in(data_ / "queries-web.jsonl");
    std::string line;
    for (std::size_t i = 0; std::getline(in, line); ++i)
      if (i % step == 0) chosen.push_back(json::parse(line)["query"]);
    return chosen;
  }

  std::filesystem::path data_;
  std::unique_ptr<Client> web_;

 private:
  void import_and_serve() {
    base_ = std::make_unique<KnowledgeBase>(Storage::Sqlite);
    const std::filesystem::path rejects = base_->folder() / "rejects.jsonl";
    ChildProcess import = base_->start(
        {"import", "--on-error", "skip", "--rejects", rejects.string(), (data_ / "mixed-250k.jsonl.gz").string()});
    EXPECT_EQ(import.wait(std::chrono::minutes(10)), 1) << base_->log();
    EXPECT_EQ(lines_of(rejects), kTooLongIds);
    server_.reset(new ServerProcess(base_->serve()));
  }

  static inline std::unique_ptr<KnowledgeBase> base_;
  static inline std::unique_ptr<ServerProcess> server_;
};

TEST_F(MixedItems, AreCompleteExceptThoseWithTooLongIds) {
  const json stats = expect_data(web_->get("/stats"));
  EXPECT_EQ(stats["total_items"], kItems - kTooLongIds);
  EXPECT_EQ(stats["total_categories"], kCategories);
}

/// Whether a word of the query need not match.
bool has_function_word(const std::string& q) {
  model::QueryNode root = *model::parse_query(q);
  model::mark_function_words(root);
  return std::any_of(root.children.begin(), root.children.end(), [](const auto& node) { return node.is_optional; });
}

TEST_F(MixedItems, AreFoundWithTheMatchRuleOfTheContract) {
  for (const std::string& q : queries(40)) {
    const std::size_t all = total(q, "&match=all");
    const std::size_t any = total(q, "&match=any");
    const std::size_t found = total(q);
    EXPECT_LE(all, found) << q;
    EXPECT_LE(found, any) << q;
    if (!has_function_word(q)) {
      EXPECT_EQ(found, all < 10 ? any : all) << q;
    }
  }
}

TEST_F(MixedItems, AreRankedOnPagesWithoutOverlapOrGap) {
  for (const std::string& q : queries(200)) {
    std::set<std::string> seen;
    double last = 1.0;
    for (std::size_t offset = 0; offset < 500; offset += 100) {
      const json page = search(q, "&limit=100&offset=" + std::to_string(offset));
      for (const json& hit : page["data"]) {
        EXPECT_TRUE(seen.insert(hit["id"]).second) << q << ": " << hit["id"];
        EXPECT_LE(hit["relevance"].get<double>(), last) << q;
        EXPECT_LE(code_points(hit["excerpt"]), 240);
        last = hit["relevance"];
      }
      EXPECT_EQ(seen.size(), std::min(page["pagination"]["total"].get<std::size_t>(), offset + 100)) << q;
    }
  }
}

TEST_F(MixedItems, AreReturnedAsFound) {
  for (const std::string q : {"quantum entanglement", "資料庫", "Datenbank", "base de données", "C++", "printf"}) {
    const json hits = search(q, "&limit=5")["data"];
    EXPECT_FALSE(hits.empty()) << q;
    for (const json& hit : hits) {
      const json item = expect_data(web_->get("/item/" + encoded(hit["id"].get<std::string>())));
      EXPECT_EQ(item["title"], hit["title"]);
      EXPECT_EQ(item["category"], hit["category"]);
    }
  }
}

}  // namespace
}  // namespace kbase::tests
