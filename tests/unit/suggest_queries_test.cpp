// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "domain/usecases/search_items.hpp"
#include "tests/support/mocks/driven/search_index.hpp"
#include "tests/unit/indexed_items.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using trompeloeil::_;

/// Queries as they are, titles with their ids in brackets.
class SuggestQueries : public testing::Test {
 protected:
  std::string suggested(std::string_view q, std::uint64_t limit = 8) { return suggested(q, limit, index_); }

  static std::string suggested(std::string_view q, std::uint64_t limit, ports::SearchIndex& index) {
    ports::Call call;
    std::string all;
    usecases::SearchItems search(index);
    const auto done = search.suggest(call, q, limit, [&](const ports::Suggestion& each) {
      all.append(all.empty() ? "" : "|").append(each.text);
      if (!each.item.empty()) all.append("[").append(each.item).append("]");
      return model::Visit::Continue;
    });
    return done ? all : std::string(name_of(done.error().code)) + ' ' + done.error().parameter;
  }

  memory_index::MemorySearchIndex index_;
};

TEST_F(SuggestQueries, CompletesTheLastWordByWhatMostItemsHave) {
  index(index_, {{"1", "One", "limit"}, {"2", "Two", "limit and linear"}, {"3", "Three", "lion"}});
  EXPECT_EQ(suggested("li"), "limit|linear|lion");
  EXPECT_EQ(suggested("LI"), "limit|linear|lion");
}

TEST_F(SuggestQueries, CompletesToWordsThatItemsHaveWithThoseBefore) {
  index(index_, {{"1", "One", "rate limit"},
                 {"2", "Two", "lion lion"},
                 {"3", "Three", "lion rate linear"},
                 {"4", "Four", "rate limit"}});
  EXPECT_EQ(suggested("rate li"), "rate limit|rate lion|rate linear");
  EXPECT_EQ(suggested("nothing li"), "");
}

TEST_F(SuggestQueries, NamesItemsThatHaveWhatWasTypedInTheirTitles) {
  index(index_, {{"1", "Rate limits", "x"}, {"2", "Other", "rate limits, rate limits"}, {"3", "Limits of rates", "y"}});
  EXPECT_EQ(suggested("limits rat"), "limits rate|limits rates|Limits of rates[3]|Rate limits[1]");
  EXPECT_EQ(suggested("rate "), "Rate limits[1]|Limits of rates[3]") << "nothing is being typed";
}

TEST_F(SuggestQueries, SharesTheRoomBetweenQueriesAndTitles) {
  index(index_, {{"1", "Alpha alphabet"}, {"2", "Alpine alphabet"}, {"3", "Albert alphabet"}, {"4", "Alpha again"}});
  EXPECT_EQ(suggested("al", 3), "alphabet|alpha|Alpine alphabet[2]");
  EXPECT_EQ(suggested("alphabet", 3), "Alpha alphabet[1]|Alpine alphabet[2]|Albert alphabet[3]");
}

TEST_F(SuggestQueries, TakesQuotesAndOperatorsForHowNotForWhat) {
  index(index_, {{"1", "Rate limits", "x"}});
  EXPECT_EQ(suggested("\"ra"), "\"rate|Rate limits[1]");
}

TEST_F(SuggestQueries, HasNothingForLessThanAQueryNeeds) {
  index(index_, {{"1", "Rate limits"}});
  for (const char* q : {"", "r", " r ", "\xFF\xFF"}) EXPECT_EQ(suggested(q), "") << q;
  EXPECT_EQ(suggested("zz"), "");
}

TEST_F(SuggestQueries, RefusesALimitThatIsNone) {
  EXPECT_EQ(suggested("ra", 0), "InvalidArgument limit");
  EXPECT_EQ(suggested("ra", 21), "InvalidArgument limit");
}

TEST_F(SuggestQueries, PassesOnThatTheIndexHasNoState) {
  EXPECT_EQ(suggested("rate "), "Unavailable ");
}

TEST_F(SuggestQueries, NamesTheBestItemsWhereAnIndexNeitherCompletesNorMarks) {
  MockSearchIndex plain;
  ALLOW_CALL(plain, capabilities()).RETURN(ports::SearchIndex::Capabilities{});
  const ports::SearchHit hit{"1", "Rate limits", "shelf", "", 1.0};
  REQUIRE_CALL(plain, search(_, _, _))
      .WITH(_2.query->children.size() == 2 && _2.query->children[1].kind == model::QueryNode::Kind::Prefix &&
            _2.query->children[1].text == "li" && _2.limit == 8 && !_2.marks)
      .SIDE_EFFECT(_3(hit))
      .RETURN(ports::SearchAnswer{});
  EXPECT_EQ(suggested("rate li", 8, plain), "Rate limits[1]");
}

}  // namespace
}  // namespace kbase::tests
