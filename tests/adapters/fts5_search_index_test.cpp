// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/fts5_search_index.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "plugins/conformance/manual_clock.hpp"
#include "plugins/conformance/search_index_checks.hpp"
#include "tests/support/second_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using conformance::ask;
using conformance::commit;
using conformance::found;
using conformance::Leaf;
using Build = ports::SearchIndex::Build;

class Fts5Index : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "search"; }

  std::unique_ptr<fts5::Fts5SearchIndex> open(const std::string& language = "auto") {
    fts5::Options options;
    options.path = path();
    options.language = language;
    return fts5::Fts5SearchIndex::open(options, clock_).value();
  }

  /// The database that answers.
  std::filesystem::path database() const {
    std::ifstream file(path() / "CURRENT");
    std::string name;
    std::getline(file, name);
    return path() / name;
  }

  static bool is_complete(ports::SearchIndex& index) {
    ports::Call call;
    const auto state = index.state(call);
    return state && state->complete;
  }

  static model::ErrorCode verified(ports::SearchIndex& index) {
    ports::Call call;
    const model::Status status = index.verify(call);
    return status ? model::ErrorCode::Cancelled : status.error().code;
  }

  conformance::ManualClock clock_;
  TemporaryFolder folder_;
};

TEST_F(Fts5Index, RefusesALanguageWithoutStemmer) {
  fts5::Options options;
  options.path = path();
  options.language = "klingon";
  const auto index = fts5::Fts5SearchIndex::open(options, clock_);
  ASSERT_FALSE(index);
  EXPECT_EQ(index.error().parameter, "language");
}

TEST_F(Fts5Index, CountsAsEmptyUnderOtherSettings) {
  ASSERT_TRUE(commit(*open(), Build::Rebuild, {{.id = "a", .content = "alpha"}}));
  const auto other = open("de");
  EXPECT_FALSE(is_complete(*other));
  EXPECT_EQ(found(*other, "alpha"), "error Unavailable");
  EXPECT_NE(other->fingerprint(), open()->fingerprint());
  EXPECT_TRUE(is_complete(*open()));
}

TEST_F(Fts5Index, AnswersFromWhatAnotherOneCommits) {
  const auto server = open();
  const auto import = open();
  ASSERT_TRUE(commit(*import, Build::Rebuild, {{.id = "a", .content = "alpha"}}));
  EXPECT_EQ(found(*server, "alpha"), "a");
  ASSERT_TRUE(commit(*import, Build::Update, {{.id = "b", .content = "alpha"}}, 2));
  EXPECT_EQ(found(*server, "alpha"), "a|b");
  ASSERT_TRUE(commit(*import, Build::Rebuild, {{.id = "c", .content = "alpha"}}, 3));
  EXPECT_EQ(found(*server, "alpha"), "c");
}

TEST_F(Fts5Index, LeavesOneDatabaseBehind) {
  const auto index = open();
  for (model::Revision revision = 1; revision < 4; ++revision)
    ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "a"}}, revision));
  int databases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path()))
    if (entry.path().extension() == ".db") ++databases;
  EXPECT_EQ(databases, 1);
}

TEST_F(Fts5Index, RefusesAWriterBesideAnotherIndexObject) {
  expect_one_writer(*open(), *open(), path().string());
}

TEST_F(Fts5Index, CountsADamagedFileAsNoState) {
  ASSERT_TRUE(commit(*open(), Build::Rebuild, conformance::leaves_of("x", 50, "alpha beta")));
  for (const std::uintmax_t kept : {0u, 10u, 5000u}) {
    std::filesystem::resize_file(database(), kept);
    const auto index = open();
    EXPECT_FALSE(is_complete(*index)) << kept;
    EXPECT_EQ(found(*index, "alpha"), "error Unavailable") << kept;
    ports::Call call;
    const auto update = index->begin(call, Build::Update, conformance::kLineage);
    ASSERT_FALSE(update);
    EXPECT_EQ(update.error().code, model::ErrorCode::Unsupported);
    ASSERT_TRUE(commit(*index, Build::Rebuild, {{.id = "new", .content = "alpha"}})) << kept;
    EXPECT_EQ(found(*index, "alpha"), "new") << kept;
  }
}

TEST_F(Fts5Index, CountsAMissingDatabaseAsNoState) {
  ASSERT_TRUE(commit(*open(), Build::Rebuild, {{.id = "a"}}));
  std::filesystem::remove(database());
  EXPECT_FALSE(is_complete(*open()));
  std::ofstream(path() / "CURRENT") << "../elsewhere.db\n";
  EXPECT_FALSE(is_complete(*open()));
}

TEST_F(Fts5Index, NeverCrashesOnDamagedPages) {
  for (int round = 0; round < 24; ++round) {
    ASSERT_TRUE(commit(*open(), Build::Rebuild, conformance::leaves_of("x", 60, "alpha beta gamma")));
    std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(database()));
    for (std::streamoff at = round * 37 % 512; at < size; at += 512) {
      file.seekp(at);
      file.put(static_cast<char>(round * 11 + at));
    }
    file.close();
    const auto index = open();
    const conformance::Told told = ask(*index, {.q = "alpha beta"});
    for (const std::string& excerpt : told.excerpts) EXPECT_LE(excerpt.size(), 960u);
    EXPECT_NE(verified(*index), model::ErrorCode::Cancelled) << round;
  }
}

TEST_F(Fts5Index, EndsASearchAtItsDeadline) {
  const auto index = open();
  ASSERT_TRUE(commit(*index, Build::Rebuild, conformance::leaves_of("x", 3000, "alpha beta")));
  model::QueryNode query = model::parse_query("alpha beta").value();
  ports::SearchRequest request;
  request.query = &query;
  request.limit = 10;
  ports::Call call;
  call.deadline = clock_.steady();
  clock_.advance(std::chrono::seconds(1));
  const auto none = [](const ports::SearchHit&) { return model::Visit::Continue; };
  const auto late = index->search(call, request, none);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, model::ErrorCode::Deadline);

  const std::atomic<bool> cancel = true;
  call.cancel = &cancel;
  const auto cancelled = index->search(call, request, none);
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, model::ErrorCode::Cancelled);
  EXPECT_EQ(ask(*index, {.q = "alpha", .limit = 1}).answer.total, 3000u) << "the reader serves on";
}

TEST_F(Fts5Index, SplitsBigBatchesWithoutLosingItems) {
  const auto index = open();
  std::vector<Leaf> leaves;
  for (int i = 0; i < 2000; ++i)
    leaves.push_back({.id = "i" + std::to_string(i), .content = "common w" + std::to_string(i)});
  ASSERT_TRUE(commit(*index, Build::Rebuild, leaves));
  for (Leaf& leaf : leaves) leaf.content += " again";
  ASSERT_TRUE(commit(*index, Build::Update, leaves, 2));
  EXPECT_EQ(ask(*index, {.q = "common again", .limit = 0}).answer.total, 2000u);
  EXPECT_EQ(found(*index, "w1999"), "i1999");
  EXPECT_EQ(verified(*index), model::ErrorCode::Cancelled) << "it is sound";
}

TEST_F(Fts5Index, KeepsATagsSeparatorApart) {
  const auto index = open();
  const Leaf odd{.id = "a", .tags = {"one\x1Ftwo", "three"}};
  ASSERT_TRUE(commit(*index, Build::Rebuild, {odd}));
  ASSERT_TRUE(commit(*index, Build::Update, {odd}, 2));
  EXPECT_EQ(found(*index, "three"), "a");
  EXPECT_EQ(verified(*index), model::ErrorCode::Cancelled) << "it is sound";
}

/// A content that has one word so often, another one so often, and so many words in all.
std::string content_of(int engines, int harbors) {
  constexpr int kWords = 20;
  std::string content;
  for (int i = 0; i < engines; ++i) content += "engine ";
  for (int i = 0; i < harbors; ++i) content += "harbor ";
  for (int i = engines + harbors; i < kWords; ++i) content += "plain ";
  return content;
}

TEST_F(Fts5Index, PutsTheNewerOneFirstWhereOnlyTheOrderOfItsSumsIsAnother) {
  constexpr int kMost = 9;
  std::vector<Leaf> leaves;
  for (int more = 2; more <= kMost; ++more)
    for (int less = 1; less < more; ++less) {
      const std::string pair = std::to_string(more) + std::to_string(less);
      const bool is_engine_newer = (more + less) % 2 == 0;
      leaves.push_back({.id = pair + "e", .content = content_of(more, less), .updated = is_engine_newer ? 2 : 1});
      leaves.push_back({.id = pair + "h", .content = content_of(less, more), .updated = is_engine_newer ? 1 : 2});
    }
  const auto index = open();
  ASSERT_TRUE(commit(*index, Build::Rebuild, leaves));
  const std::string ids = ask(*index, {.q = "engine harbor"}).ids;
  constexpr std::size_t kEach = 4;  // with what parts it from the next
  ASSERT_EQ(ids.size() + 1, leaves.size() * kEach);
  for (std::size_t i = 0; i < ids.size(); i += 2 * kEach) {
    const bool is_engine_newer = (ids[i] + ids[i + 1]) % 2 == 0;
    EXPECT_EQ(ids.substr(i, 2), ids.substr(i + kEach, 2));
    EXPECT_EQ(ids[i + 2], is_engine_newer ? 'e' : 'h') << ids.substr(i, 3);
  }
}

}  // namespace
}  // namespace kbase::tests
