// SPDX-License-Identifier: Apache-2.0
// `kbase import`, `export` and `delete` with valid content. Manual: docs/content.
#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/gzip.hpp"

namespace kbase::tests {
namespace {

using nlohmann::json;

std::string line(const std::string& id, const std::string& title = "A title", const std::string& category = "shelf") {
  return json{{"id", id}, {"title", title}, {"category", category}}.dump() + "\n";
}

/// Items of an export, by id.
std::map<std::string, json> items_in(const std::string& exported) {
  std::map<std::string, json> items;
  std::istringstream lines(exported);
  for (std::string text; std::getline(lines, text);) {
    json record = json::parse(text);
    if (record.value("type", "item") == "item") items.emplace(record["id"], record);
  }
  return items;
}

Ids item_ids(const KnowledgeBase& base) {
  Ids ids;
  for (const auto& [id, item] : items_in(base.exported())) ids.push_back(id);
  return ids;
}

class ImportTest : public testing::Test {
 protected:
  KnowledgeBase base_{Storage::Sqlite};
};

TEST_F(ImportTest, ReadsEveryKindOfSource) {
  base_.import(base_.write("a.jsonl", line("from-jsonl")));
  base_.import(base_.write("b.ndjson", line("from-ndjson")));
  base_.import(base_.write("c.json", "[" + line("from-json") + "," + line("from-json-2") + "]"));
  base_.import(base_.write("d.jsonl.gz", packed(line("from-gzip"))));
  base_.import(base_.write("e.json.gz", packed("[" + line("from-json-gzip") + "]")));
  const Outcome standard_input = base_.run({"import", "-"}, line("from-input"));
  EXPECT_EQ(standard_input.exit_code, 0) << standard_input.errors;
  EXPECT_EQ(item_ids(base_), (Ids{"from-gzip", "from-input", "from-json", "from-json-2", "from-json-gzip", "from-jsonl",
                                  "from-ndjson"}));
}

TEST_F(ImportTest, ReadsAFolderOfMarkdown) {
  base_.write("manual/_category.yaml", "name: The manual\ndescription: How to\nicon: M\n");
  base_.write("manual/first-steps.md",
              "---\ntitle: First steps\ntags: [start, intro]\nauthor: Ada\n---\nBegin *here*.\n");
  base_.write("manual/plain.md", "# A heading\n\nNo front matter.\n");
  base_.write("manual/own.md", "---\nid: own id\ntitle: Own\ncategory: elsewhere\n---\nText\n");
  base_.write("manual/deep/index.md", "---\ntitle: Deep\n---\nIndex\n");
  base_.import(base_.folder() / "manual");
  const std::map<std::string, json> items = items_in(base_.exported());
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items.count("first-steps") + items.count("plain") + items.count("own id") + items.count("deep"), 4U);
  EXPECT_EQ(items.at("first-steps")["title"], "First steps");
  EXPECT_EQ(items.at("first-steps")["tags"], (json{"start", "intro"}));
  EXPECT_NE(items.at("first-steps")["content"].get<std::string>().find("Begin"), std::string::npos);
  EXPECT_EQ(items.at("own id")["category"], "elsewhere");
  EXPECT_EQ(items.at("first-steps")["category"], "manual");
}

TEST_F(ImportTest, RejectsTwoMarkdownFilesWithOneIdAndNamesBoth) {
  base_.write("notes/one.md", "---\nid: same\ntitle: One\n---\n");
  base_.write("notes/two.md", "---\nid: same\ntitle: Two\n---\n");
  const Outcome outcome = base_.run({"import", (base_.folder() / "notes").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find("one.md"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("two.md"), std::string::npos) << outcome.errors;
  EXPECT_EQ(item_ids(base_), Ids{});
}

TEST_F(ImportTest, AcceptsAByteOrderMarkCarriageReturnsAndEmptyLines) {
  base_.import(
      base_.write("a.jsonl", "\xEF\xBB\xBF{\"id\":\"a\",\"title\":\"\",\"category\":\"c\"}\r\n\r\n\n" + line("b")));
  EXPECT_EQ(item_ids(base_), (Ids{"a", "b"}));
}

TEST_F(ImportTest, KeepsTheLastOfSeveralLinesWithOneIdAndReportsIt) {
  const Outcome outcome =
      base_.run({"import", base_.write("a.jsonl", line("twin", "First") + line("b") + line("twin", "Last")).string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_NE((outcome.errors + outcome.output).find("twin"), std::string::npos) << outcome.errors;
  EXPECT_EQ(items_in(base_.exported()).at("twin")["title"], "Last");
}

TEST_F(ImportTest, NamesIgnoredMembersAndSimilarKnownOnes) {
  const auto with = [](const std::string& id, const std::string& member) {
    return R"({"id":")" + id + R"(","title":"","category":"c",")" + member + "\":\"text\"}\n";
  };
  std::string text = with("1", "contnet") + with("2", "contnet") + with("3", "author") + with("4", "description");
  const Outcome outcome = base_.run({"import", base_.write("a.jsonl", text).string()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.errors.find("ignored: 'contnet' in 2 records; did you mean 'content'?\n"
                                "ignored: 'author' in 1 record; did you mean 'metadata.author'?\n"
                                "ignored: 'description' in 1 record\n"),
            std::string::npos)
      << outcome.errors;
  text = R"({"type":"category","name":"One","title":"of no kind that has it, and without an id"})";
  EXPECT_EQ(base_.run({"import", base_.write("b.jsonl", text).string()}).errors.find("did you mean"),
            std::string::npos);
  text.clear();
  for (int i = 0; i < 7; ++i) text += with("5", "xyz" + std::to_string(i));
  EXPECT_NE(base_.run({"import", base_.write("b.jsonl", text).string()})
                .errors.find("'xyz4' in 1 record\nignored: other members too\n"),
            std::string::npos);
  EXPECT_EQ(base_.run({"import", base_.write("c.jsonl", line("6")).string()}).errors.find("ignored"),
            std::string::npos);
}

TEST_F(ImportTest, NamesMembersOfAFrontMatterThatLookMisspelled) {
  base_.write("manual/a.md", "---\ntitel: A\nlevel: 1\n---\ntext\n");
  const Outcome outcome = base_.run({"import", (base_.folder() / "manual").string()});
  EXPECT_NE(outcome.errors.find("kept as metadata: 'titel' in 1 record; did you mean 'title'?\n"), std::string::npos)
      << outcome.errors;
  EXPECT_EQ(outcome.errors.find("'level'"), std::string::npos) << outcome.errors;
}

TEST_F(ImportTest, SuggestsOnlyMembersOfTheRecordKind) {
  base_.write("manual/_category.yaml", "titel: A\nnmae: A\nnmae: B\nauthor: Ada\n");
  base_.write("manual/a.md", "---\ntitle: A\ncontents: B\n---\ntext\n");
  const Outcome outcome = base_.run({"import", (base_.folder() / "manual").string()});
  EXPECT_NE(outcome.errors.find("ignored: 'author' in 1 record\n"
                                "ignored: 'nmae' in 1 record; did you mean 'name'?\n"
                                "ignored: 'titel' in 1 record\n"),
            std::string::npos)
      << outcome.errors;
  EXPECT_EQ(outcome.errors.find("contents"), std::string::npos) << outcome.errors;
}

TEST_F(ImportTest, ReportsWhichFilesAreReadFromAnEmptyFolder) {
  const auto folder = base_.folder() / "empty";
  std::filesystem::create_directory(folder);
  const Outcome outcome = base_.run({"import", folder.string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.errors.find(folder.string() + ": no records found"), std::string::npos);
  EXPECT_NE(outcome.errors.find("(.md, "), std::string::npos) << outcome.errors;
}

TEST_F(ImportTest, TakesMembersFromOtherNames) {
  const auto faq = base_.write("faq.csv", "question,answer\nWhy?,So.\n");
  const Outcome unmapped = base_.run({"import", faq.string()});
  EXPECT_EQ(unmapped.exit_code, 1);
  EXPECT_NE(unmapped.errors.find("--map id=COLUMN"), std::string::npos) << unmapped.errors;
  const Outcome wrong = base_.run({"import", "--map", "titel=question", faq.string()});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.errors.find("--map: \"titel=question\" does not begin with a member"), std::string::npos)
      << wrong.errors;
  base_.import(faq, {"--map", "id=question,title=question", "--map", "content=answer,category='faq, all'"});
  const json item = items_in(base_.exported()).at("Why?");
  EXPECT_EQ(item["category"], "faq, all");
  EXPECT_EQ(item["content"], "So.");
}

TEST_F(ImportTest, FollowsTheSectionContentOfTheConfiguration) {
  base_.write("kb/a.page", "# From a command");
  base_.write("kb/b.md", "---\nurl: /guide/b\n---\ntext");
  base_.import(base_.folder() / "kb",
               {"--set", "content.base_url=https://docs.example.org/", "--set", "content.converters={\".page\": cat}"});
  const auto items = items_in(base_.exported());
  EXPECT_EQ(items.at("a")["title"], "From a command");
  EXPECT_EQ(items.at("b")["url"], "https://docs.example.org/guide/b");
  const Outcome wrong = base_.run({"import", "--set", "content.base_url=docs", (base_.folder() / "kb").string()});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.errors.find("content.base_url"), std::string::npos) << wrong.errors;
}

TEST_F(ImportTest, IsSafeToRepeat) {
  base_.import(fixture_corpus_file());
  const std::string once = base_.exported();
  base_.import(fixture_corpus_file());
  EXPECT_EQ(base_.exported(), once);
}

TEST_F(ImportTest, KeepsTheDateOfTheFirstImport) {
  base_.import(base_.write("a.jsonl", R"({"id":"a","title":"T","category":"c","metadata":{"created":"2020-02-29"}})"));
  base_.import(base_.write("a.jsonl", line("a", "Changed")));
  const json item = items_in(base_.exported()).at("a");
  EXPECT_EQ(item["metadata"]["created"], "2020-02-29");
  EXPECT_EQ(item["metadata"]["updated"], day_from_today(0));
  EXPECT_EQ(item["title"], "Changed");
}

TEST_F(ImportTest, ChangesNothingInADryRun) {
  const std::string before = base_.exported();
  base_.import(fixture_corpus_file(), {"--dry-run"});
  EXPECT_EQ(base_.exported(), before);
}

TEST_F(ImportTest, RemovesByDeleteLinesAndByCommand) {
  base_.import(base_.write("a.jsonl", line("a") + line("b") + line("c")));
  base_.import(base_.write("b.jsonl", "{\"type\":\"delete\",\"id\":\"b\"}\n"));
  EXPECT_EQ(item_ids(base_), (Ids{"a", "c"}));
  EXPECT_EQ(base_.run({"delete", "c"}).exit_code, 0);
  EXPECT_EQ(item_ids(base_), (Ids{"a"}));
  const Outcome unknown = base_.run({"delete", "no-such-item"});
  EXPECT_NE((unknown.errors + unknown.output).find("no-such-item"), std::string::npos) << unknown.errors;
}

TEST_F(ImportTest, PrunesItemsThatNoSourceContains) {
  base_.import(base_.write("old.jsonl", line("a") + line("b") + line("c", "C", "lonely")));
  const auto one = base_.write("one.jsonl", line("a"));
  const auto two = base_.write("two.jsonl", line("b"));
  const Outcome outcome = base_.run({"import", "--prune", "--source", "old.jsonl", one.string(), two.string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(item_ids(base_), (Ids{"a", "b"}));
  EXPECT_EQ(base_.exported().find("lonely"), std::string::npos) << "the category that no item names any more";
}

TEST_F(ImportTest, PrunesMoreThanHalfOnlyWithTheOption) {
  base_.import(base_.write("old.jsonl", line("a") + line("b") + line("c")));
  const std::string before = base_.exported();
  const auto only = base_.write("only.jsonl", line("a", "Changed"));
  const Outcome refused = base_.run({"import", "--prune", "--source", "old.jsonl", only.string()});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.errors.find("--prune-limit"), std::string::npos) << refused.errors;
  EXPECT_EQ(base_.exported(), before);
  base_.import(only, {"--prune", "--prune-limit", "100%", "--source", "old.jsonl"});
  EXPECT_EQ(item_ids(base_), (Ids{"a"}));
}

TEST_F(ImportTest, PrunesNothingIfARecordWasRejectedOrASourceIsMissing) {
  base_.import(base_.write("old.jsonl", line("a") + line("b") + line("c")));
  const auto bad = base_.write("bad.jsonl", line("a") + line("b") + "{}\n");
  EXPECT_EQ(base_.run({"import", "--prune", "--source", "old.jsonl", "--on-error", "skip", bad.string()}).exit_code, 1);
  const auto good = base_.write("good.jsonl", line("a") + line("b"));
  EXPECT_EQ(base_
                .run({"import", "--prune", "--source", "old.jsonl", good.string(),
                      (base_.folder() / "missing.jsonl").string()})
                .exit_code,
            1);
  EXPECT_EQ(item_ids(base_), (Ids{"a", "b", "c"}));
}

TEST_F(ImportTest, ReadsItsOwnExportIntoAnIdenticalStore) {
  base_.import(fixture_corpus_file());
  {
    ServerProcess server = base_.serve();
    Client web(server.base_url());
    for (const char* id : {"earth", "earth", "deep%20sky%2FM31%20Andromeda"})
      expect_data(web.get(std::string("/item/") + id));
    EXPECT_EQ(server.stop(), 0);
  }
  const std::string first = base_.exported();
  EXPECT_NE(first.find("\"activity\""), std::string::npos);
  const KnowledgeBase copy(Storage::Sqlite);
  const auto file = copy.write("export.jsonl", first);
  copy.import(file);
  EXPECT_EQ(copy.exported(), first);
  copy.import(file);
  EXPECT_EQ(copy.exported(), first);
}

TEST_F(ImportTest, ExportsIntoAFile) {
  base_.import(fixture_corpus_file());
  const auto file = base_.folder() / "out.jsonl";
  const Outcome outcome = base_.run({"export", "--output", file.string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(Corpus::read(file).items().size(), fixture_corpus().items().size());
  EXPECT_EQ(base_.run({"export", "--output", "/no/such/folder/out.jsonl"}).exit_code, 1);
}

TEST(ImportIntoMemory, IsRejected) {
  const KnowledgeBase base(Storage::Memory, fixture_corpus_file());
  const Outcome outcome = base.run({"import", fixture_corpus_file().string()});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.errors.find("load"), std::string::npos) << outcome.errors;
}

class ImportWhileServing : public ChangingTest {
 protected:
  void SetUp() override {
    if (GetParam().storage == Storage::Memory) GTEST_SKIP() << "a memory store is filled at start; import refuses";
    served_ = std::make_unique<ServedBase>(GetParam());
  }

  std::unique_ptr<ServedBase> served_;
};

INSTANTIATE_TEST_SUITE_P(Storage, ImportWhileServing, every_storage(), name_of);
INSTANTIATE_TEST_SUITE_P(Search, ImportWhileServing, the_other_index(), name_of);

TEST_P(ImportWhileServing, IsVisibleWithinASecond) {
  Client web = served_->client();
  EXPECT_EQ(web.get("/item/added").status, 404);
  const std::string list_before = web.get("/recent").field("etag");
  served_->base().import(served_->base().write("new.jsonl", line("added", "Hello quokka", "loose")));
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return web.get("/item/added").status == 200; }));
  EXPECT_TRUE(
      eventually(kWithinASecond, [&] { return web.get("/search?q=quokka").json()["pagination"]["total"] == 1; }));
  EXPECT_NE(web.get("/recent").field("etag"), list_before);
  EXPECT_EQ(expect_data(web.get("/stats"))["total_items"], fixture_corpus().items().size() + 1);
}

TEST_P(ImportWhileServing, ChangesAndRemovesWithinASecond) {
  Client web = served_->client();
  const std::string etag = web.get("/item/earth").field("etag");
  const std::string other = web.get("/item/venus").field("etag");
  served_->base().import(served_->base().write("new.jsonl", line("earth", "Numbat", "planets")), {"--take-over"});
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return web.get("/item/earth").json()["data"]["title"] == "Numbat"; }));
  EXPECT_NE(web.get("/item/earth").field("etag"), etag);
  EXPECT_EQ(web.get("/item/venus").field("etag"), other);
  EXPECT_EQ(served_->base().run({"delete", "earth"}).exit_code, 0);
  EXPECT_TRUE(eventually(kWithinASecond, [&] { return web.get("/item/earth").status == 404; }));
  EXPECT_TRUE(
      eventually(kWithinASecond, [&] { return web.get("/search?q=numbat").json()["pagination"]["total"] == 0; }));
}

TEST_P(ImportWhileServing, NeverShowsHalfABatch) {
  std::string batch;
  for (int i = 0; i < 500; ++i) batch += line("batch-" + std::to_string(i), "Wombat " + std::to_string(i), "burrow");
  const auto file = served_->base().write("batch.jsonl", batch);
  const ChildProcess import = served_->base().start({"import", file.string()});
  Client web = served_->client();
  std::set<int> seen;
  const bool complete = eventually(std::chrono::seconds(20), [&] {
    seen.insert(web.get("/search?q=wombat&match=all").json()["pagination"]["total"].get<int>());
    const json category = web.get("/category/burrow").json();
    seen.insert(category.contains("data") ? category["data"]["item_count"].get<int>() : 0);
    return seen.count(500) == 1;
  });
  EXPECT_TRUE(complete);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 0 || count == 500; }));
}

}  // namespace
}  // namespace kbase::tests
