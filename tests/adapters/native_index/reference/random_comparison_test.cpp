// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/random_comparison.hpp"

#include <gtest/gtest.h>

#include "tests/adapters/native_index/reference/comparison.hpp"
#include "tests/adapters/native_index/reference/shrinking.hpp"
#include "tests/adapters/native_index/reference/spelling.hpp"
#include "tests/support/memory_index/memory_search_index.hpp"

namespace kbase::tests {
namespace {

class MemoryIndex final : public IndexUnderTest {
 public:
  ports::SearchIndex& port() override { return index_; }
  bool reopen() override { return false; }

 private:
  memory_index::MemorySearchIndex index_;
};

/// Hides items whose title contains a certain word, but counts them.
class WrongIndex final : public ports::SearchIndex {
 public:
  Capabilities capabilities() const override { return index_.capabilities(); }
  std::string_view fingerprint() const override { return index_.fingerprint(); }
  Result<ports::SearchResult> search(ports::Call& call, const ports::SearchRequest& request,
                                     Visitor<ports::SearchHit> visitor) override {
    return index_.search(call, request, [&visitor](const ports::SearchHit& hit) {
      return hit.title.find("houses") == std::string_view::npos ? visitor(hit) : Visit::Continue;
    });
  }
  Result<ports::IndexState> state(ports::Call& call) override { return index_.state(call); }
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                    const model::StoreId& store_id) override {
    return index_.begin(call, build, store_id);
  }
  Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                   model::ViewsRevision revision) override {
    return index_.set_views(call, totals, revision);
  }
  Status verify(ports::Call& call) override { return index_.verify(call); }
  Status health(ports::Call& call) override { return index_.health(call); }

 private:
  memory_index::MemorySearchIndex index_;
};

class WrongIndexUnderTest final : public IndexUnderTest {
 public:
  ports::SearchIndex& port() override { return index_; }
  bool reopen() override { return false; }

 private:
  WrongIndex index_;
};

/// Returns the first history that detects the wrong index.
History find_failing_history(const MakeIndex& make) {
  for (std::uint64_t seed = 1;; ++seed) {
    History history = random_history(seed);
    if (first_difference(make, history)) return history;
  }
}

/// The memory index checks every item for every word and has its own scoring.
TEST(RandomComparison, FindsNoDifferenceInTheMatchesOfTheMemoryIndex) {
  EXPECT_TRUE(answers_as_the_reference(std::make_unique<MemoryIndex>, KBASE_RANDOM_CASES / 8));
}

TEST(RandomComparison, ShrinksAFailureToOneItemAndOneSearch) {
  const MakeIndex make = std::make_unique<WrongIndexUnderTest>;
  const History smallest = shrunk(find_failing_history(make), [&make](const History& history) {
    return first_difference(make, history).has_value();
  });
  ASSERT_EQ(smallest.size(), 2u) << describe(smallest);
  const auto* const batch = std::get_if<Batch>(&smallest[0]);
  ASSERT_TRUE(batch != nullptr && batch->changes.size() == 1) << describe(smallest);
  EXPECT_TRUE(batch->changes[0].item.title.starts_with("houses")) << describe(smallest);
  EXPECT_EQ(batch->changes[0].item.content, "");
  ASSERT_TRUE(std::holds_alternative<SampleSearch>(smallest[1])) << describe(smallest);
}

TEST(RandomComparison, ReportsAFailureReadably) {
  const testing::AssertionResult result = answers_as_the_reference(std::make_unique<WrongIndexUnderTest>, 10'000);
  ASSERT_FALSE(result);
  const std::string_view text = result.message();
  EXPECT_NE(text.find("KBASE_RANDOM_SEED="), std::string_view::npos) << text;
  EXPECT_NE(text.find("title \"houses"), std::string_view::npos) << text;
  EXPECT_NE(text.find("got: total 1, all words"), std::string_view::npos) << text;
}

TEST(Spelling, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(mistakes_between("harbour", "harbour"), 0u);
  EXPECT_EQ(mistakes_between("harbour", "harbor"), 1u);
  EXPECT_EQ(mistakes_between("harbour", "harobur"), 1u);
  EXPECT_EQ(mistakes_between("h\u00E4user", "hauser"), 1u);
  EXPECT_EQ(mistakes_between("harbour", "barber"), 3u);
  EXPECT_EQ(mistakes_between("", "ab"), 2u);
}

TEST(Spelling, ToleratesMoreMistakesInLongWords) {
  EXPECT_EQ(tolerated_mistakes("red"), 0u);
  EXPECT_EQ(tolerated_mistakes("r\u00E9d"), 0u);
  EXPECT_EQ(tolerated_mistakes("blue"), 1u);
  EXPECT_EQ(tolerated_mistakes("vermilion"), 2u);
  EXPECT_EQ(tolerated_mistakes("version2"), 0u);
}

TEST(RandomComparison, GeneratesTheSameHistoryForASeed) {
  EXPECT_EQ(describe(random_history(7)), describe(random_history(7)));
  EXPECT_NE(describe(random_history(7)), describe(random_history(8)));
}

}  // namespace
}  // namespace kbase::tests
