// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/search_items.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/fixed_synonyms.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {
using model::MatchRule;
using model::Sort;
using ports::SearchHit;
using ports::SearchRequest;
using ports::SearchResult;
using trompeloeil::_;

constexpr std::uint64_t kDeepest = 100'000;
constexpr std::uint64_t kLargestOffset = 9'007'199'254'740'991;  // 2^53 - 1

class SearchItems : public testing::Test {
 protected:
  static SearchResult answer_of(std::uint64_t total) {
    SearchResult answer;
    answer.total = total;
    return answer;
  }

  static ports::SearchQuery question_of(std::string_view q, Sort sort = Sort::Relevance) {
    ports::SearchQuery question;
    question.q = q;
    question.sort = sort;
    return question;
  }

  static ports::SearchQuery page(std::uint64_t offset, std::uint64_t limit) {
    ports::SearchQuery question = question_of("cache");
    question.offset = offset;
    question.limit = limit;
    return question;
  }

  static model::Day day(int number) { return model::Day(std::chrono::days(number)); }

  Result<ports::SearchPage> search(const ports::SearchQuery& question) {
    return search_.search(call_, question, [&](const SearchHit& hit) {
      seen_.emplace_back(hit.id);
      return Visit::Continue;
    });
  }

  /// Searches a page of `limit` items while the index reports `total` matches.
  Result<ports::SearchPage> search_page(std::uint64_t offset, std::uint64_t limit, std::uint64_t total) {
    ALLOW_CALL(index_, search(_, _, _)).SIDE_EFFECT(request_ = _2).RETURN(answer_of(total));
    return search(page(offset, limit));
  }

  MockSearchIndex index_;
  MockItemStore items_;
  ports::SearchIndex::Capabilities capabilities_{.describes = true};
  std::unique_ptr<trompeloeil::expectation> allowance_ =
      NAMED_ALLOW_CALL(index_, capabilities()).LR_RETURN(capabilities_);
  FixedSynonyms synonyms_;
  usecases::SearchItems search_{index_, items_, synonyms_};
  ports::Call call_;
  SearchRequest request_;
  std::vector<std::string> seen_;
};

TEST_F(SearchItems, PassesTheParsedQueryToTheIndex) {
  REQUIRE_CALL(index_, search(_, _, _))
      .WITH(_2.query != nullptr && *_2.query == *model::parse_query("read -ahead"))
      .RETURN(answer_of(1));
  EXPECT_TRUE(succeeded(search(question_of("  read -ahead "))));
}

TEST_F(SearchItems, RequestsTwentyHitsByRelevanceOverAllCategoriesByDefault) {
  REQUIRE_CALL(index_, search(_, _, _)).SIDE_EFFECT(request_ = _2).RETURN(answer_of(0));
  ASSERT_TRUE(succeeded(search(question_of("cache"))));
  EXPECT_EQ(request_.limit, 20u);
  EXPECT_EQ(request_.offset, 0u);
  EXPECT_EQ(request_.sort, Sort::Relevance);
  EXPECT_EQ(request_.filter.category, std::nullopt);
  EXPECT_EQ(request_.fallback_below, 10u);
}

TEST_F(SearchItems, PassesFilterSortMatchRuleAndPageToTheIndex) {
  REQUIRE_CALL(index_, search(_, _, _)).SIDE_EFFECT(request_ = _2).RETURN(answer_of(0));
  ports::SearchQuery question = page(40, 7);
  question.filter.category = "shelf";
  question.sort = Sort::Date;
  question.fallback_below = model::kAlwaysAnyWord;
  ASSERT_TRUE(succeeded(search(question)));
  EXPECT_EQ(request_.filter.category, "shelf");
  EXPECT_EQ(request_.sort, Sort::Date);
  EXPECT_EQ(request_.fallback_below, model::kAlwaysAnyWord);
  EXPECT_EQ(request_.offset, 40u);
  EXPECT_EQ(request_.limit, 7u);
}

TEST_F(SearchItems, PassesTheWholeFilterToAnIndexThatSupportsIt) {
  ALLOW_CALL(index_, capabilities()).RETURN(ports::SearchIndex::Capabilities{.filters = true});
  REQUIRE_CALL(index_, search(_, _, _)).SIDE_EFFECT(request_ = _2).RETURN(answer_of(0));
  ports::SearchQuery question = question_of("cache");
  question.filter = {"shelf", "tag", day(1), day(1), {}, {}, {}, {}};
  question.highlights = true;
  ASSERT_TRUE(succeeded(search(question)));
  EXPECT_EQ(request_.filter, question.filter);
  EXPECT_TRUE(request_.highlights);
}

TEST_F(SearchItems, IncludesTheSubcategoriesOfTheFilter) {
  capabilities_.selections = true;
  const std::vector<std::pair<std::string_view, std::vector<std::string_view>>> tree = {
      {"root", {"left", "right"}}, {"left", {"leaf", "root"}}, {"right", {"leaf"}}, {"other", {"unrelated"}}};
  REQUIRE_CALL(items_, categories(_, _, _))
      .LR_SIDE_EFFECT(for (const auto& [id, below]
                           : tree) {
        model::CategoryView category;
        category.id = id;
        category.subcategories = below;
        _3(category);
      })
      .RETURN(Status());
  std::string passed;
  REQUIRE_CALL(index_, search(_, _, _))
      .LR_SIDE_EFFECT({
        passed = *_2.filter.category;
        for (const std::string_view each : _2.filter.further_categories) passed.append(" ").append(each);
      })
      .RETURN(answer_of(0));
  ports::SearchQuery question = question_of("cache");
  question.filter.category = "root";
  question.includes_subcategories = true;
  ASSERT_TRUE(succeeded(search(question)));
  EXPECT_EQ(passed, "root left right leaf");
}

TEST_F(SearchItems, ReadsNoStoreThatMayBlockForAQuickCall) {
  capabilities_.selections = true;
  ALLOW_CALL(items_, capabilities()).RETURN(ports::ItemStore::Capabilities{.inline_reads = false});
  FORBID_CALL(items_, categories(_, _, _));
  ports::SearchQuery question = question_of("cache");
  question.filter.category = "root";
  question.includes_subcategories = true;
  call_.is_quick = true;
  const auto page = search(question);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::Deadline);
}

/// Hits with the given titles. A title's number of occurrence is its version.
class CollapsedTitles : public SearchItems {
 protected:
  std::string page_of(const std::vector<std::string>& titles, std::uint64_t offset, std::uint64_t limit) {
    ALLOW_CALL(index_, search(_, _, _))
        .LR_SIDE_EFFECT({
          requested_.push_back(_2.limit);
          std::map<std::string, int> counts;
          for (std::size_t i = 0; i < titles.size(); ++i) {
            const std::string id = "i" + std::to_string(i), version = std::to_string(++counts[titles[i]]);
            if (i < _2.offset || i >= _2.offset + _2.limit) continue;
            SearchHit hit{id, titles[i], "c", "e", 1.0};
            hit.has_row = true;
            hit.version = version;
            _3(hit);
          }
        })
        .LR_RETURN(answer_of(titles.size()));
    ports::SearchQuery question = page(offset, limit);
    question.collapses_titles = true;
    std::string text;
    const auto found = search_.search(call_, question, [&](const SearchHit& hit) {
      text.append(hit.id);
      for (const ports::NamesakeView& each : hit.namesakes)
        text.append("+").append(each.id).append("v").append(each.version);
      text += ' ';
      return Visit::Continue;
    });
    if (!found) return found.error().message;
    return text + "of " + std::to_string(found->total) +
           (found->next_offset ? " next " + std::to_string(*found->next_offset) : "");
  }

  std::vector<std::uint64_t> requested_;
};

TEST_F(CollapsedTitles, HaveOneHitThatNamesTheOthers) {
  EXPECT_EQ(page_of({"A", "B", "A", "", "A", ""}, 0, 10), "i0+i2v2+i4v3 i1 i3 i5 of 6");
  EXPECT_EQ(page_of({"A", "A", "A", "A", "A", "A", "A", "A"}, 0, 10), "i0+i1v2+i2v3+i3v4+i4v5+i5v6 of 8");
}

TEST_F(CollapsedTitles, JoinPagesWithoutOverlapOrGap) {
  const std::vector<std::string> titles = {"A", "B", "A", "C", "B", "D"};
  EXPECT_EQ(page_of(titles, 0, 2), "i0+i2v2 i1+i4v2 of 6 next 2");
  EXPECT_EQ(page_of(titles, 2, 2), "i3 i5 of 6");
  EXPECT_EQ(page_of(titles, 4, 2), "of 6");
}

TEST_F(CollapsedTitles, ReadDeeperUntilThePageIsFull) {
  std::vector<std::string> titles(900, "A");
  titles.emplace_back("B");
  EXPECT_EQ(page_of(titles, 1, 1), "i900 of 901");
  EXPECT_EQ(requested_, (std::vector<std::uint64_t>{100, 400, 1600}));
}

TEST_F(SearchItems, RejectsAFilterThatTheIndexDoesNotSupport) {
  ALLOW_CALL(index_, capabilities()).RETURN(ports::SearchIndex::Capabilities{});
  ports::SearchQuery question = question_of("cache");
  for (const ports::SearchFilter& filter :
       {ports::SearchFilter{.tag = "tag"}, ports::SearchFilter{.updated_from = day(1)},
        ports::SearchFilter{.updated_to = day(1)}, ports::SearchFilter{.language = "en"},
        ports::SearchFilter{.version = "2"}}) {
    question.filter = filter;
    EXPECT_TRUE(failed(search(question), ErrorCode::Unsupported));
  }
}

TEST_F(SearchItems, ReturnsFacetsIfRequestedAndSupported) {
  SearchResult answer = answer_of(3);
  answer.facets.tags = {{"tag", 2}};
  ALLOW_CALL(index_, search(_, _, _)).SIDE_EFFECT(request_ = _2).LR_RETURN(answer);
  ports::SearchQuery question = question_of("cache");
  EXPECT_FALSE(search(question)->counted_facets.any()) << "facets were not requested";
  question.facets = {.tags = true, .languages = true, .versions = true};
  {
    ALLOW_CALL(index_, capabilities()).RETURN(ports::SearchIndex::Capabilities{.facets = true, .describes = true});
    const auto page = search(question);
    EXPECT_EQ(page->facets, answer.facets);
    EXPECT_TRUE(page->counted_facets.tags);
    EXPECT_FALSE(page->counted_facets.categories);
    EXPECT_FALSE(page->counted_facets.languages) << "an index without selections knows no languages";
    EXPECT_TRUE(request_.facets.tags);
    EXPECT_FALSE(request_.facets.versions);
  }
  {
    ALLOW_CALL(index_, capabilities())
        .RETURN(ports::SearchIndex::Capabilities{.selections = true, .facets = true, .describes = true});
    const ports::FacetSelection counted = search(question)->counted_facets;
    EXPECT_TRUE(counted.languages && counted.versions);
  }
  ALLOW_CALL(index_, capabilities()).RETURN(ports::SearchIndex::Capabilities{});
  EXPECT_FALSE(search(question)->counted_facets.any()) << "the index does not support facets";
}

TEST_F(SearchItems, RejectsAQueryOfOneCharacterWithoutASearch) {
  for (const char* q : {"", "a", " a ", "知", "\xFF\xFF"})
    EXPECT_TRUE(failed(search(question_of(q)), ErrorCode::InvalidArgument, "q")) << q;
}

TEST_F(SearchItems, RejectsAQueryOf2049Characters) {
  const std::string q(2049, 'a');
  EXPECT_TRUE(failed(search(question_of(q)), ErrorCode::InvalidArgument, "q"));
}

TEST_F(SearchItems, AcceptsALimitFrom1To100) {
  EXPECT_TRUE(succeeded(search_page(0, 1, 5)));
  EXPECT_TRUE(succeeded(search_page(0, 100, 5)));
  EXPECT_TRUE(failed(search(page(0, 0)), ErrorCode::InvalidArgument, "limit"));
  EXPECT_TRUE(failed(search(page(0, 101)), ErrorCode::InvalidArgument, "limit"));
  EXPECT_TRUE(failed(search(page(0, UINT64_MAX)), ErrorCode::InvalidArgument, "limit"));
}

TEST_F(SearchItems, AcceptsAnOffsetUpToTheLargestExactJsonInteger) {
  EXPECT_TRUE(succeeded(search_page(kLargestOffset, 20, 5)));
  EXPECT_TRUE(failed(search(page(kLargestOffset + 1, 20)), ErrorCode::InvalidArgument, "offset"));
  EXPECT_TRUE(failed(search(page(UINT64_MAX, 20)), ErrorCode::InvalidArgument, "offset"));
}

TEST_F(SearchItems, ReturnsTheOffsetOfTheNextPage) {
  EXPECT_EQ(search_page(0, 20, 21)->next_offset, 20u);
  EXPECT_EQ(search_page(20, 20, 41)->next_offset, 40u);
  EXPECT_EQ(search_page(5, 1, 7)->next_offset, 6u);
}

TEST_F(SearchItems, ReturnsNoNextPageForTheLastPage) {
  EXPECT_EQ(search_page(0, 20, 0)->next_offset, std::nullopt);
  EXPECT_EQ(search_page(0, 20, 20)->next_offset, std::nullopt);
  EXPECT_EQ(search_page(20, 20, 21)->next_offset, std::nullopt);
  EXPECT_EQ(search_page(6, 1, 7)->next_offset, std::nullopt);
}

TEST_F(SearchItems, ReturnsOnlyTheTotalForAPageAtOrPastTheEnd) {
  for (const std::uint64_t offset : {std::uint64_t{7}, std::uint64_t{1000}, kDeepest, kDeepest + 1, kLargestOffset}) {
    const auto result = search_page(offset, 20, 7);
    ASSERT_TRUE(succeeded(result)) << offset;
    EXPECT_EQ(result->total, 7u);
    EXPECT_EQ(result->next_offset, std::nullopt);
  }
}

TEST_F(SearchItems, ServesThePageThatEndsAtTheMaximumDepthAsTheLastPage) {
  const auto result = search_page(kDeepest - 20, 20, 250'000);
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(request_.offset, kDeepest - 20);
  EXPECT_EQ(request_.limit, 20u);
  EXPECT_EQ(result->total, 250'000u);
  EXPECT_EQ(result->next_offset, std::nullopt);
}

TEST_F(SearchItems, ReturnsNoNextPagePastTheMaximumDepth) {
  EXPECT_EQ(search_page(kDeepest - 40, 20, 250'000)->next_offset, kDeepest - 20);
  EXPECT_EQ(search_page(kDeepest - 39, 20, 250'000)->next_offset, std::nullopt);
}

TEST_F(SearchItems, RejectsAPagePastTheMaximumDepth) {
  for (const std::uint64_t offset : {kDeepest - 19, kDeepest, std::uint64_t{249'999}})
    EXPECT_TRUE(failed(search_page(offset, 20, 250'000), ErrorCode::InvalidArgument, "offset")) << offset;
}

TEST_F(SearchItems, ReturnsNoHitOfAPageThatIsTooDeep) {
  ASSERT_TRUE(succeeded(search_page(kDeepest + 1, 20, 5)));
  EXPECT_EQ(request_.limit, 0u) << "only the total is requested";
}

TEST_F(SearchItems, ReturnsTheHitsOfTheIndexUnchanged) {
  const SearchHit hits[] = {{"b", "B", "shelf", "…b…", 1.0}, {"a", "A", "shelf", "a", 0.25}};
  std::vector<double> relevance;
  REQUIRE_CALL(index_, search(_, _, _)).SIDE_EFFECT(hand(hits, _3)).RETURN(answer_of(2));
  const auto page = search_.search(call_, question_of("cache"), [&](const SearchHit& hit) {
    relevance.push_back(hit.relevance);
    EXPECT_EQ(hit.id, hits[relevance.size() - 1].id);
    EXPECT_EQ(hit.title, hits[relevance.size() - 1].title);
    EXPECT_EQ(hit.category, "shelf");
    EXPECT_EQ(hit.excerpt, hits[relevance.size() - 1].excerpt);
    return Visit::Continue;
  });
  ASSERT_TRUE(succeeded(page));
  EXPECT_EQ(relevance, (std::vector{1.0, 0.25}));
}

TEST_F(SearchItems, ReturnsTheMatchRuleAndTheCorrections) {
  SearchResult answer = answer_of(3);
  answer.rule = MatchRule::AnyWord;
  answer.corrections = {{"cahce", "cache"}};
  REQUIRE_CALL(index_, search(_, _, _)).RETURN(answer);
  const auto page = search(question_of("cahce"));
  ASSERT_TRUE(succeeded(page));
  EXPECT_EQ(page->rule, MatchRule::AnyWord);
  ASSERT_EQ(page->corrections.size(), 1u);
  EXPECT_EQ(page->corrections[0].word, "cahce");
  EXPECT_EQ(page->corrections[0].replacement, "cache");
  EXPECT_EQ(page->did_you_mean, "cache");
}

TEST_F(SearchItems, ValidatesAResultByTheContentItWasComputedFrom) {
  SearchResult answer = answer_of(3);
  answer.store_id.fill(7);
  answer.revision = 41;
  answer.views_revision = 9;
  for (const Sort sort : {Sort::Relevance, Sort::Date, Sort::Popularity}) {
    REQUIRE_CALL(index_, search(_, _, _)).RETURN(answer);
    const auto page = search(question_of("cache", sort));
    ASSERT_TRUE(succeeded(page));
    EXPECT_EQ(page->validator.store_id, answer.store_id);
    EXPECT_EQ(page->validator.content_revision, 41u);
    EXPECT_EQ(page->validator.views_revision, sort == Sort::Popularity ? 9u : 0u);
    EXPECT_EQ(page->validator.day, model::Day{});
  }
}

TEST_F(SearchItems, ValidatesTheNextResultByTheStateOfTheIndex) {
  ports::IndexState state;
  state.store_id.fill(7);
  state.revision = 41;
  state.views_revision = 9;
  state.complete = true;
  ALLOW_CALL(index_, state(_)).RETURN(state);
  const auto by_relevance = search_.validator(call_, Sort::Relevance);
  const auto by_popularity = search_.validator(call_, Sort::Popularity);
  ASSERT_TRUE(succeeded(by_relevance));
  ASSERT_TRUE(succeeded(by_popularity));
  EXPECT_EQ(by_relevance->store_id, state.store_id);
  EXPECT_EQ(by_relevance->content_revision, 41u);
  EXPECT_EQ(by_relevance->views_revision, 0u);
  EXPECT_EQ(by_popularity->views_revision, 9u);
}

TEST_F(SearchItems, ReturnsTheErrorOfTheIndex) {
  Error building = error_of(ErrorCode::Unavailable);
  building.retry_after = std::chrono::seconds(2);
  REQUIRE_CALL(index_, search(_, _, _)).RETURN(building);
  const auto result = search(question_of("cache"));
  ASSERT_TRUE(failed(result, ErrorCode::Unavailable));
  EXPECT_EQ(result.error().retry_after, std::chrono::seconds(2));
  REQUIRE_CALL(index_, state(_)).RETURN(building);
  EXPECT_TRUE(failed(search_.validator(call_, Sort::Date), ErrorCode::Unavailable));
}

}  // namespace
}  // namespace kbase::tests
