// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>

#include "adapters/native_index/native_search_index.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/adapters/native_index/faulty_files.hpp"
#include "tests/adapters/native_index/reference/playing.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using native_index::NativeSearchIndex;

constexpr model::StoreId kStoreId = {4, 5, 6};
constexpr std::size_t kManyChanges = 2'000;  // histories with more take too long

/// An index in memory that merges only on request.
class Played {
 public:
  explicit Played(std::string language) {
    options_.path = "search";
    options_.language = std::move(language);
    options_.merges = false;
    open();
  }

  void play(const Batch& batch) {
    const auto writer = index_->begin(call_, is_built_ ? batch.build : ports::SearchIndex::Build::Rebuild, kStoreId);
    ASSERT_TRUE(succeeded(writer));
    ASSERT_TRUE(succeeded(write(**writer, call_, batch)));
    if (!batch.committed) return;
    ASSERT_TRUE(succeeded((*writer)->commit(call_, 1)));
    is_built_ = true;
  }
  void play(const CountedViews& views) {
    std::vector<ports::ItemViews> totals;
    for (const auto& [id, count] : views.totals) totals.push_back({id, count});
    ASSERT_TRUE(succeeded(index_->set_views(call_, totals, 1)));
  }
  void play(const Reopening&) { open(); }
  void play(const Merging&) { ASSERT_TRUE(succeeded(index_->merge_now())); }
  void play(const Verification&) {}
  void play(const SampleSearch&) {}

  bool is_built() const { return is_built_; }

  /// Returns all that a caller sees of an answer, scores to the last bit.
  std::string answer(const ports::SearchRequest& request) {
    std::ostringstream out;
    out << std::hexfloat;
    const auto result = index_->search(call_, request, [&out](const ports::SearchHit& hit) {
      out << '\n'
          << hit.id << '|' << hit.title << '|' << hit.category << '|' << hit.excerpt << '|' << hit.relevance << '|'
          << hit.updated.time_since_epoch().count() << '|' << hit.views;
      for (const std::string_view tag : hit.tags) out << '#' << tag;
      for (const auto& marks : {hit.title_highlights, hit.excerpt_highlights})
        for (const model::Highlight& mark : marks) out << ' ' << mark.begin << '-' << mark.end;
      return Visit::Continue;
    });
    EXPECT_TRUE(succeeded(result));
    if (!result) return {};
    out << "\ntotal " << result->total << (result->rule == model::MatchRule::AllWords ? " all" : " any");
    for (const ports::Facet& facet : ports::kFacets)
      for (const ports::FacetValue& each : result->facets.*facet.values) out << '\n' << each.value << ' ' << each.items;
    for (const ports::Correction& each : result->corrections) out << '\n' << each.word << " means " << each.replacement;
    return out.str();
  }

  /// Returns the completions of the beginnings of the words.
  std::string complete(std::string_view words) {
    constexpr std::size_t kBeginning = 2;
    constexpr std::size_t kLimit = 5;
    std::ostringstream out;
    for (std::size_t begin = 0; begin < words.size(); begin = words.find_first_of(" ", begin + 1) + 1) {
      EXPECT_TRUE(succeeded(index_->complete(call_, words.substr(begin, kBeginning), kLimit, [&](const auto& each) {
        out << each.word << ' ' << each.items << '\n';
        return Visit::Continue;
      })));
      if (words.find(' ', begin + 1) == std::string_view::npos) break;
    }
    return out.str();
  }

 private:
  void open() {
    index_.reset();
    index_ = NativeSearchIndex::open(options_, files_, clock_, nullptr).value();
  }

  FaultyFiles files_;
  conformance::ManualClock clock_;
  native_index::Options options_;
  std::unique_ptr<NativeSearchIndex> index_;
  ports::Call call_;
  bool is_built_ = false;
};

/// Returns a batch of the items that remain at the end of a history.
Batch rebuild_of(const History& history) {
  std::map<std::string, SampleItem> items;
  bool is_built = false;
  for (const Step& step : history) {
    const auto* const batch = std::get_if<Batch>(&step);
    if (batch == nullptr || !batch->committed) continue;
    if (!is_built || batch->build == ports::SearchIndex::Build::Rebuild) items.clear();
    is_built = true;
    for (const Batch::Change& change : batch->changes)
      if (change.removed)
        items.erase(change.item.id);
      else
        items.insert_or_assign(change.item.id, change.item);
  }
  Batch all;
  all.build = ports::SearchIndex::Build::Rebuild;
  all.together = 1'000;
  for (const auto& [id, item] : items) all.changes.push_back({item});
  return all;
}

class NativeHistories : public testing::TestWithParam<std::string> {};

TEST_P(NativeHistories, ReturnTheBytesOfARebuild) {
  const char* const more = std::getenv("KBASE_RANDOM_CASES");
  const std::size_t cases = more == nullptr ? KBASE_RANDOM_CASES / 4 : std::stoul(more);
  std::size_t searches = 0;
  for (std::uint64_t seed = 1; searches < cases; ++seed) {
    const History history = random_history(seed);
    if (changes_in(history) > kManyChanges) continue;
    Played played(GetParam());
    Played rebuilt(GetParam());
    for (const Step& step : history) std::visit([&](const auto& each) { played.play(each); }, step);
    if (!played.is_built()) continue;
    rebuilt.play(rebuild_of(history));
    for (const Step& step : history)
      if (const auto* const views = std::get_if<CountedViews>(&step)) {
        rebuilt.play(*views);
        played.play(*views);  // an index that was opened again has lost them
      }
    for (const Step& step : history) {
      const auto* const search = std::get_if<SampleSearch>(&step);
      if (search == nullptr) continue;
      const SampleRequest sample(*search);
      if (!sample.is_valid()) continue;
      ASSERT_EQ(played.answer(sample.request()), rebuilt.answer(sample.request()))
          << "seed " << seed << ", search " << search->q << '\n'
          << describe(history);
      ASSERT_EQ(played.complete(search->q), rebuilt.complete(search->q))
          << "seed " << seed << ", beginnings of " << search->q << '\n'
          << describe(history);
      ++searches;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, NativeHistories, testing::Values("auto", "en"));

}  // namespace
}  // namespace kbase::tests
