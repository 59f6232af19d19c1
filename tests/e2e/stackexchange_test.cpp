// SPDX-License-Identifier: Apache-2.0
// Test of a real knowledge base of questions and answers. Needs the data files of KBASE_TEST_DATA.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

/// Returns the file with the questions; empty if it does not exist.
std::filesystem::path questions_file() {
  const char* folder = std::getenv("KBASE_TEST_DATA");
  if (folder == nullptr) return {};
  std::filesystem::path file = std::filesystem::path(folder) / "stackexchange.jsonl.gz";
  return std::filesystem::exists(file) ? file : std::filesystem::path();
}

std::string unpacked(const std::filesystem::path& file) {
  std::string text;
  std::string buffer(1 << 20, '\0');
  const gzFile in = gzopen(file.c_str(), "rb");
  for (int count = 0; (count = gzread(in, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;)
    text.append(buffer, 0, static_cast<std::size_t>(count));
  gzclose(in);
  return text;
}

class Questions : public testing::TestWithParam<BackEnds> {
 protected:
  static void TearDownTestSuite() { served().clear(); }

  void SetUp() override {
    if (questions_file().empty()) GTEST_SKIP() << "KBASE_TEST_DATA names no folder with stackexchange.jsonl.gz";
    std::unique_ptr<ServedBase>& base = served()[GetParam()];
    if (!base) base = std::make_unique<ServedBase>(GetParam(), questions_file());
    web_ = std::make_unique<Client>(base->client());
  }

  static const Corpus& source() {
    static const Corpus corpus = [] {
      const TemporaryFolder folder;
      std::ofstream(folder.path() / "questions.jsonl", std::ios::binary) << unpacked(questions_file());
      return Corpus::read(folder.path() / "questions.jsonl");
    }();
    return corpus;
  }

  json search(const std::string& q, const std::string& parameters) {
    return expect_envelope(web_->get("/search?q=" + encoded(q) + parameters), true);
  }

  std::unique_ptr<Client> web_;

 private:
  static std::map<BackEnds, std::unique_ptr<ServedBase>>& served() {
    static std::map<BackEnds, std::unique_ptr<ServedBase>> bases;
    return bases;
  }
};

INSTANTIATE_TEST_SUITE_P(Storage, Questions, every_storage(), name_of);

TEST_P(Questions, AreCompleteInTheirCategories) {
  const json categories = expect_data(web_->get("/categories"));
  EXPECT_EQ(categories.size(), source().categories().size());
  const json stats = expect_data(web_->get("/stats"));
  EXPECT_EQ(stats["total_items"], source().items().size());
  EXPECT_EQ(stats["total_categories"], source().categories().size());
  std::uint64_t views = 0;
  for (const json& item : source().items()) views += item["metadata"]["views"].get<std::uint64_t>();
  EXPECT_EQ(stats["total_views"], views);
}

TEST_P(Questions, AreListedByCategoryInPages) {
  for (const json& category : source().categories()) {
    const std::string id = category["id"];
    Ids listed;
    for (std::size_t offset = 0; offset <= category["item_count"].get<std::size_t>(); offset += 700) {
      const json data = expect_data(
          web_->get("/category/" + encoded(id) + "?include_items=true&limit=700&offset=" + std::to_string(offset)));
      EXPECT_EQ(data["item_count"], category["item_count"]);
      for (const std::string& item : ids_of(data["items"])) listed.push_back(item);
    }
    EXPECT_EQ(listed, source().ordered(id, newer)) << id;
  }
}

TEST_P(Questions, AreReturnedAsImported) {
  for (std::size_t i = 0; i < source().items().size(); i += 7) {
    json expected = source().items()[i];
    json actual = expect_data(web_->get("/item/" + encoded(expected["id"].get<std::string>())));
    for (json* item : {&actual, &expected}) {
      (*item)["metadata"].erase("views");
      item->erase("sections");  // not imported, but read from the content
    }
    EXPECT_EQ(actual, expected);
    if (HasFailure()) break;
  }
}

TEST_P(Questions, ArePopularByTheirImportedViews) {
  Ids expected = source().ordered("", more_viewed);
  expected.resize(50);
  EXPECT_EQ(ids_of(expect_data(web_->get("/popular?limit=50&period=all"))), expected);
  expected = source().ordered("", newer);
  expected.resize(50);
  EXPECT_EQ(ids_of(expect_data(web_->get("/recent?limit=50"))), expected);
}

TEST_P(Questions, AreFoundOnPagesWithoutOverlapOrGap) {
  const auto have_each_once = [this](const std::string& q) {
    std::set<std::string> seen;
    std::size_t entries = 0, total = 0;
    json next = 0;
    while (!next.is_null()) {
      const json page = search(q, "&limit=100&offset=" + next.dump());
      total = page["pagination"]["total"];
      for (const json& entry : page["data"]) {
        seen.insert(entry["id"]);
        ++entries;
        EXPECT_LE(code_points(entry["excerpt"]), 240);
      }
      next = page["pagination"].at("next_offset");
    }
    return total > 0 && entries == total && seen.size() == total;
  };
  // Views of the other tests are written meanwhile, and OpenSearch counts replaced documents for a while.
  for (const std::string q : {"quantum", "bike chain", "stake pool rewards", "\"neural network\"", "transl*"})
    EXPECT_TRUE(eventually(std::chrono::seconds(60), [&] { return have_each_once(q); })) << q;
}

TEST_P(Questions, AreNotMoreWithACategoryThanWithout) {
  const std::size_t total = search("quantum gate", "&limit=1")["pagination"]["total"];
  std::size_t sum = 0;
  for (const json& category : source().categories())
    sum +=
        search("quantum gate", "&limit=1&category=" + encoded(category["id"].get<std::string>()))["pagination"]["total"]
            .get<std::size_t>();
  EXPECT_EQ(sum, total);
}

TEST_P(Questions, AreFoundByTheirOwnTitles) {
  std::size_t searches = 0;
  std::size_t found = 0;
  for (std::size_t i = 0; i < source().items().size(); i += 101) {
    const json& item = source().items()[i];
    std::string title = item["title"];
    if (code_points(title) > 512 || code_points(title) < 10) continue;
    std::replace(title.begin(), title.end(), '-', ' ');
    std::replace(title.begin(), title.end(), '"', ' ');
    ++searches;
    const Ids first = ids_of(search(title, "&limit=5")["data"]);
    if (std::find(first.begin(), first.end(), item["id"]) != first.end()) ++found;
  }
  EXPECT_GE(found * 100, searches * 90) << found << " of " << searches;
}

}  // namespace
}  // namespace kbase::tests
