// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "domain/usecases/search_items.hpp"
#include "tests/support/fixed_synonyms.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/unit/indexed_items.hpp"

namespace kbase::tests {
namespace {
using trompeloeil::_;

/// Suggestions, separated by "|". Those that are titles have their item id in brackets.
class SuggestQueries : public testing::Test {
 protected:
  std::string suggested(std::string_view q, std::uint64_t limit = 8) { return suggested(q, limit, index_); }

  static std::string suggested(std::string_view q, std::uint64_t limit, ports::SearchIndex& index) {
    ports::Call call;
    std::string all;
    MockItemStore items;
    const FixedSynonyms synonyms;
    usecases::SearchItems search(index, items, synonyms);
    const auto done = search.suggest(call, q, limit, [&](const ports::Suggestion& each) {
      all.append(all.empty() ? "" : "|").append(each.text);
      if (!each.item.empty()) all.append("[").append(each.item).append("]");
      return Visit::Continue;
    });
    return done ? all : std::string(name_of(done.error().code)) + ' ' + done.error().parameter;
  }

  memory_index::MemorySearchIndex index_;
};

TEST_F(SuggestQueries, CompletesTheLastWordByTheMostFrequentTerms) {
  index(index_, {{"1", "One", "limit"}, {"2", "Two", "limit and linear"}, {"3", "Three", "lion"}});
  EXPECT_EQ(suggested("li"), "limit|linear|lion");
  EXPECT_EQ(suggested("LI"), "limit|linear|lion");
}

TEST_F(SuggestQueries, CompletesToWordsThatOccurWithThePrecedingOnes) {
  index(index_, {{"1", "One", "rate limit"},
                 {"2", "Two", "lion lion"},
                 {"3", "Three", "lion rate linear"},
                 {"4", "Four", "rate limit"}});
  EXPECT_EQ(suggested("rate li"), "rate limit|rate lion|rate linear");
  EXPECT_EQ(suggested("nothing li"), "");
}

TEST_F(SuggestQueries, SuggestsItemsWithTheTypedWordsInTheirTitles) {
  index(index_, {{"1", "Rate limits", "x"}, {"2", "Other", "rate limits, rate limits"}, {"3", "Limits of rates", "y"}});
  EXPECT_EQ(suggested("limits rat"), "limits rate|limits rates|Rate limits[1]|Limits of rates[3]");
  EXPECT_EQ(suggested("rate "), "Rate limits[1]|Limits of rates[3]") << "no word is being typed";
}

TEST_F(SuggestQueries, SuggestsTitlesByTheBeginningOfAnyWordTheMostViewedFirst) {
  const std::string_view common = "conaa conab conac conad conae conaf conag conah conai conaj conak conal";
  index(index_, {{.id = "1", .title = "Contributing", .content = "x", .views = 5},
                 {.id = "2", .title = "How to configure it", .content = "x", .views = 9},
                 {.id = "3", .title = "x", .content = common},
                 {.id = "4", .title = "y", .content = common},
                 {.id = "5", .title = "Contributors", .content = "configure contributing", .views = 7}});
  EXPECT_EQ(suggested("con", 4), "conaa|conab|How to configure it[2]|Contributors[5]");
  EXPECT_EQ(suggested("to con", 4), "How to configure it[2]");
}

TEST_F(SuggestQueries, SuggestsTheShortestOfTitlesWithEqualViews) {
  index(index_, {{"1", "How rate limits are counted", "rate limits, rate limits"}, {"2", "Rate limits", "x"}});
  EXPECT_EQ(suggested("rate lim", 3), "rate limits|Rate limits[2]|How rate limits are counted[1]");
}

TEST_F(SuggestQueries, DividesTheLimitBetweenQueriesAndTitles) {
  index(index_, {{"1", "Alpha alphabet"}, {"2", "Alpine alphabet"}, {"3", "Albert alphabet"}, {"4", "Alpha again"}});
  EXPECT_EQ(suggested("al", 3), "alphabet|alpha|Alpha again[4]");
  EXPECT_EQ(suggested("alphabet", 3), "Alpha alphabet[1]|Alpine alphabet[2]|Albert alphabet[3]");
}

TEST_F(SuggestQueries, IgnoresQuotesAndOperatorsInTheTypedText) {
  index(index_, {{"1", "Rate limits", "x"}});
  EXPECT_EQ(suggested("\"ra"), "\"rate|Rate limits[1]");
}

TEST_F(SuggestQueries, SuggestsNoWordThatIsAlreadyTyped) {
  index(index_, {{"1", "Limit", "limits"}, {"2", "Café", "x"}});
  EXPECT_EQ(suggested("Limit"), "limits|Limit[1]");
  EXPECT_EQ(suggested("CAFÉ"), "Café[2]");
}

TEST_F(SuggestQueries, SuggestsItemsOfTheTypedWordAmongManyLongerOnes) {
  constexpr std::string_view longer = "goa gob goc god goe gof gog goh goi goj gok gol gom";
  index(index_, {{"1", "Go tutorial"}, {"2", "x", longer}, {"3", "y", longer}});
  EXPECT_EQ(suggested("go", 5), "goa|gob|goc|god|Go tutorial[1]");
}

TEST_F(SuggestQueries, CompletesTheLastPartOfACompoundInput) {
  index(index_, {{"1", "E-mail"}, {"2", "Node.js"}, {"3", "foo_bar"}, {"4", "東京大学の歴史"}});
  EXPECT_EQ(suggested("e-mai"), "e-mail|E-mail[1]");
  EXPECT_EQ(suggested("node.j"), "node.js|Node.js[2]");
  EXPECT_EQ(suggested("foo_b"), "foo_bar|foo_bar[3]");
  EXPECT_EQ(suggested("東京大学の"), "東京大学の歴史[4]");
}

TEST_F(SuggestQueries, CompletesOnlyPartsThatFollowThePartsBefore) {
  index(index_, {{"1", "One", "--dry-run of a release"}, {"2", "Two", "a release, dry, and a run"}});
  EXPECT_EQ(suggested("--dry-r"), "--dry-run");
}

TEST_F(SuggestQueries, ParsesThePrecedingWordsAsPartOfTheWholeQuery) {
  index(index_, {{"1", "One", "c program"}, {"2", "Two", "redis project"}, {"3", "Three", "postgres"}});
  EXPECT_EQ(suggested("c pro"), "c program") << "it is not a query without the following word";
  EXPECT_EQ(suggested("redis OR post"), "redis OR postgres");
  EXPECT_EQ(suggested("redis\u3000pro"), "redis\u3000project");
  EXPECT_EQ(suggested("\"redis project\""), "") << "a closed phrase has no completion";
}

TEST_F(SuggestQueries, SuggestsNoItemsWithExcludedWords) {
  index(index_, {{"1", "Redis"}, {"2", "Redis cluster"}, {"3", "Clue"}});
  EXPECT_EQ(suggested("redis -clu"), "redis -cluster|Redis[1]");
  EXPECT_EQ(suggested("--"), "");
}

TEST_F(SuggestQueries, PrefersTitlesWithEachWordToTitlesThatRepeatOne) {
  index(index_, {{"1", "Limits and limits", "rate"}, {"2", "Rate limit", "plan"}});
  EXPECT_EQ(suggested("rate li"), "rate limit|rate limits|Rate limit[2]");
  EXPECT_EQ(suggested("\"rate limit\" pl"), "\"rate limit\" plan");
  EXPECT_EQ(suggested("rate & lim"), "rate & limit|rate & limits|Rate limit[2]")
      << "a punctuation character is not a word";
}

TEST_F(SuggestQueries, MatchesTitleWordsInOtherScriptsAndWithAccents) {
  index(index_, {{"1", "東京大学の歴史"}, {"2", "Hôtel Über"}, {"3", "Москва река"}});
  EXPECT_EQ(suggested("東京 大学"), "東京大学の歴史[1]");
  EXPECT_EQ(suggested("hotel ube"), "hotel uber|Hôtel Über[2]");
  EXPECT_EQ(suggested("москва ре"), "москва река|Москва река[3]");
}

TEST_F(SuggestQueries, ReturnsNothingForATooShortText) {
  index(index_, {{"1", "Rate limits"}});
  for (const char* q : {"", "r", " r ", "\xFF\xFF"}) EXPECT_EQ(suggested(q), "") << q;
  EXPECT_EQ(suggested("zz"), "");
}

TEST_F(SuggestQueries, RejectsAnInvalidLimit) {
  EXPECT_EQ(suggested("ra", 0), "InvalidArgument limit");
  EXPECT_EQ(suggested("ra", 21), "InvalidArgument limit");
}

TEST_F(SuggestQueries, ReturnsTheErrorOfAnIndexWithoutAState) { EXPECT_EQ(suggested("rate "), "Unavailable "); }

TEST_F(SuggestQueries, SuggestsTheBestItemsIfTheIndexSupportsNeitherCompletionNorHighlights) {
  MockSearchIndex plain;
  ALLOW_CALL(plain, capabilities()).RETURN(ports::SearchIndex::Capabilities{});
  const model::QueryNode beginning{model::QueryNode::Kind::Prefix, "li", {}};
  const ports::SearchHit hit{"1", "Rate limits", "shelf", "", 1.0};
  REQUIRE_CALL(plain, search(_, _, _))
      .WITH(_2.query->children.size() == 2 && _2.query->children[1].children.front() == beginning && _2.limit == 8 &&
            !_2.highlights)
      .SIDE_EFFECT(_3(hit))
      .RETURN(ports::SearchResult{});
  EXPECT_EQ(suggested("rate li", 8, plain), "Rate limits[1]");
}

}  // namespace
}  // namespace kbase::tests
