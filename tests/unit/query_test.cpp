// SPDX-License-Identifier: Apache-2.0
#include "domain/model/query.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/base/text.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::model {
namespace {

using Kind = QueryNode::Kind;

/// A tree as one line: `word`, `prefix*`, `[a phrase]`, `-(excluded)`, `(a | b)`. The root's children are separated by
/// spaces.
std::string text_of(const QueryNode& node) {
  const auto joined = [&](std::string_view between) {
    std::string text;
    for (const QueryNode& child : node.children) text += (text.empty() ? "" : std::string(between)) + text_of(child);
    return text;
  };
  switch (node.kind) {
    case Kind::AllOf: return joined(" ");
    case Kind::AnyOf: return '(' + joined(" | ") + ')';
    case Kind::Not: return "-(" + joined(" ") + ')';
    case Kind::Word: return node.text;
    case Kind::Prefix: return node.text + '*';
    case Kind::Phrase: return '[' + node.text + ']';
  }
  return "?";
}

std::string parsed(std::string_view q) {
  const auto query = parse_query(q);
  return query ? text_of(*query) : "refused: " + query.error().message;
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(Query, ConsistsOfItsWords) {
  EXPECT_EQ(parsed("cache"), "cache");
  EXPECT_EQ(parsed("read ahead cache"), "read ahead cache");
  EXPECT_EQ(parsed("Straße NAÏVE e\u0301te\u0301 知识库 😀"), "Straße NAÏVE e\u0301te\u0301 知识库 😀");
}

TEST(Query, KeepsWordsAsTyped) {
  EXPECT_EQ(parsed("std::vector foo_bar C++ .NET state-of-the-art /etc/hosts 1.2.3"),
            "std::vector foo_bar C++ .NET state-of-the-art /etc/hosts 1.2.3");
  EXPECT_EQ(parsed("or Or not AND NOT"), "or Or not AND NOT");
}

TEST(Query, SplitsWordsAtEveryKindOfWhiteSpace) {
  for (const char* space : {" ", "\t", "\n", "\r\n", "\v\f", "\u0085", "\u00A0", "\u2003", "\u2028", "\u3000", "  \t "})
    EXPECT_EQ(parsed(std::string("a") + space + "b" + space + "-cat" + space + "OR" + space + "d"), "a b -(cat) OR d")
        << testing::PrintToString(space);
  EXPECT_EQ(parsed("a\u200Bb"), "a\u200Bb");
}

TEST(Query, ParsesQuotedTextAsAPhrase) {
  EXPECT_EQ(parsed("\"read ahead\""), "[read ahead]");
  EXPECT_EQ(parsed("a \" read  ahead \" b"), "a [read  ahead] b");
  EXPECT_EQ(parsed("\"-a OR b* -\""), "[-a OR b* -]");
  EXPECT_EQ(parsed("\"one\"\"two\""), "[one] [two]");
}

TEST(Query, StartsAPhraseDirectlyAfterAWord) {
  EXPECT_EQ(parsed("a\"b c\"d"), "a [b c] d");
  EXPECT_EQ(parsed("ab*\"b c\""), "ab* [b c]");
  EXPECT_EQ(parsed("a OR\"b c\""), "(a | [b c])");
}

TEST(Query, ParsesAnUnclosedQuoteAsText) {
  EXPECT_EQ(parsed("\"read ahead"), "\"read ahead");
  EXPECT_EQ(parsed("read\" ahead"), "read\" ahead");
  EXPECT_EQ(parsed("read ahead\""), "read ahead\"");
  EXPECT_EQ(parsed("\"a b\" c \" d"), "[a b] c \" d");
  EXPECT_EQ(parsed("5\" disk"), "5\" disk");
  EXPECT_EQ(parsed("-\"a b"), "-\"a b");
  EXPECT_EQ(parsed("-\"abc d"), "-(\"abc) d");
}

TEST(Query, ParsesTheQuotesOfAllScripts) {
  for (const char* q : {"“a b” c", "„a b“ c", "”a b” c", "«a b» c", "»a b« c", "‹a b› c", "「a b」 c", "『a b』 c",
                        "＂a b＂ c", "‘a b’ c", "‚a b‘ c"})
    EXPECT_EQ(parsed(q), "[a b] c") << q;
  EXPECT_EQ(parsed("検索「全文 検索」"), "検索 [全文 検索]");
  EXPECT_EQ(parsed("-“a b” c"), "-([a b]) c");
}

TEST(Query, ParsesInchesAndApostrophesAsText) {
  EXPECT_EQ(parsed("19\" rack 5\" disk"), "19\" rack 5\" disk");
  EXPECT_EQ(parsed("5'10\" tall"), "5'10\" tall");
  EXPECT_EQ(parsed("don’t panic it’s ‘fine’"), "don’t panic it’s [fine]");
  EXPECT_EQ(parsed("rock 'n' roll"), "rock 'n' roll");
}

TEST(Query, ParsesOptionsOfCommandLinesAsText) {
  EXPECT_EQ(parsed("git commit --amend"), "git commit --amend");
  EXPECT_EQ(parsed("rm -rf x -n 1"), "rm -rf x -n 1");
  EXPECT_EQ(parsed("at -18 degrees"), "at -18 degrees");
  EXPECT_EQ(parsed("a ---bcd"), "a ---bcd");
  EXPECT_EQ(parsed("gates –false"), "gates –false");
  EXPECT_EQ(parsed("\"ab\"-cde"), "[ab] -cde");
}

TEST(Query, TakesTheLastWordAsABeginningIfItIsStillTyped) {
  const auto typed = [](std::string_view q) { return text_of(*parse_query(q, LastWord::Beginning)); };
  EXPECT_EQ(typed("rate li"), "rate li*");
  EXPECT_EQ(typed("rate li "), "rate li");
  EXPECT_EQ(typed("rate OR li"), "(rate | li*)");
  EXPECT_EQ(typed("rate \"li\""), "rate [li]");
  EXPECT_EQ(typed("rate -lim"), "rate -(lim)");
  EXPECT_EQ(typed("rate li*"), "rate li*");
}

TEST(Query, ParsesEmptyQuotesAsAPhraseWithoutWords) {
  EXPECT_EQ(parsed("\"\""), "[]");
  EXPECT_EQ(parsed("a \"  \" b"), "a [] b");
  EXPECT_EQ(parsed("a OR \"\""), "(a | [])");
  EXPECT_EQ(parsed("-\"\" a"), "-([]) a");
}

TEST(Query, ExcludesWordsPrefixesAndPhrases) {
  EXPECT_EQ(parsed("a -bee"), "a -(bee)");
  EXPECT_EQ(parsed("-bee a"), "-(bee) a");
  EXPECT_EQ(parsed("a -\"b c\" d"), "a -([b c]) d");
  EXPECT_EQ(parsed("a -be*"), "a -(be*)");
  EXPECT_EQ(parsed("-知识库"), "-(知识库)");
  EXPECT_EQ(parsed("-bee -cat"), "-(bee) -(cat)");
}

TEST(Query, ParsesAStrayMinusAsText) {
  EXPECT_EQ(parsed("a - b"), "a - b");
  EXPECT_EQ(parsed("a -"), "a -");
  EXPECT_EQ(parsed("- a"), "- a");
  EXPECT_EQ(parsed("-\u3000a"), "- a");
  EXPECT_EQ(parsed("a-b c-"), "a-b c-");
}

TEST(Query, JoinsOperandsByOr) {
  EXPECT_EQ(parsed("a OR b"), "(a | b)");
  EXPECT_EQ(parsed("a OR b OR c d"), "(a | b | c) d");
  EXPECT_EQ(parsed("a b OR c d"), "a (b | c) d");
  EXPECT_EQ(parsed("a OR b c OR d"), "(a | b) (c | d)");
  EXPECT_EQ(parsed("a* OR \"b c\""), "(a* | [b c])");
  EXPECT_EQ(parsed("\"a b\" OR c*"), "([a b] | c*)");
}

TEST(Query, ParsesOrAtEitherEndAsText) {
  EXPECT_EQ(parsed("OR"), "OR");
  EXPECT_EQ(parsed("OR a"), "OR a");
  EXPECT_EQ(parsed("a OR"), "a OR");
  EXPECT_EQ(parsed("a OR b OR"), "(a | b) OR");
  EXPECT_EQ(parsed(" OR "), "OR");
}

TEST(Query, ParsesOrNextToAnExclusionAsText) {
  EXPECT_EQ(parsed("a OR -bee"), "a OR -(bee)");
  EXPECT_EQ(parsed("-ape OR b"), "-(ape) OR b");
  EXPECT_EQ(parsed("a OR -\"b c\""), "a OR -([b c])");
  EXPECT_EQ(parsed("a OR b OR -cat"), "(a | b) OR -(cat)");
}

TEST(Query, JoinsAStrayMinusByOrLikeAnyText) { EXPECT_EQ(parsed("a OR - b"), "(a | -) b"); }

TEST(Query, ParsesTheSecondOfTwoOrsAsText) {
  EXPECT_EQ(parsed("a OR OR b"), "(a | OR) b");
  EXPECT_EQ(parsed("a OR OR OR b"), "(a | OR | b)");
}

TEST(Query, ParsesOrOnlyInCapitalsAndAsAWholeWord) {
  EXPECT_EQ(parsed("a or b"), "a or b");
  EXPECT_EQ(parsed("a Or b"), "a Or b");
  EXPECT_EQ(parsed("a ORb"), "a ORb");
  EXPECT_EQ(parsed("aOR b"), "aOR b");
  EXPECT_EQ(parsed("a OR* b"), "a OR* b");
}

TEST(Query, ParsesAWordThatEndsInAStarAsAPrefix) {
  const auto query = parse_query("index*");
  ASSERT_TRUE(tests::succeeded(query));
  ASSERT_EQ(query->children.size(), 1u);
  EXPECT_EQ(query->children[0], (QueryNode{Kind::Prefix, "index", {}}));
}

TEST(Query, ParsesAStrayStarAsText) {
  const auto only_word = [](std::string_view q) {
    const auto query = parse_query(q);
    return query && query->children.size() == 1 && query->children[0] == QueryNode{Kind::Word, std::string(q), {}};
  };
  for (const char* q : {"**", "*a", "a*b", "a**", "*a*"}) EXPECT_TRUE(only_word(q)) << q;
  const auto result = parse_query("a *");
  ASSERT_TRUE(tests::succeeded(result));
  ASSERT_EQ(result->children.size(), 2u);
  EXPECT_EQ(result->children[1], (QueryNode{Kind::Word, "*", {}}));
}

TEST(Query, HasNoNestedOperators) {
  EXPECT_EQ(parsed("(a OR b) AND c"), "((a | b)) AND c");
  const auto query = parse_query("(a OR b) AND c");
  ASSERT_TRUE(tests::succeeded(query));
  ASSERT_EQ(query->children.size(), 3u);
  EXPECT_EQ(query->children[0].children[0].text, "(a");
}

TEST(Query, HasAtLeastTwoCodePointsAfterTrimming) {
  for (const std::string_view q : {"", " ", "a", "  a  ", "\u3000知\u00A0", "😀", "é", "\t\n\r"})
    EXPECT_TRUE(tests::failed(parse_query(q), ErrorCode::InvalidArgument, "q")) << q;
  for (const std::string_view q : {"ab", " ab ", "知识", "e\u0301", "😀😀", "--", "\"a", "a b"})
    EXPECT_TRUE(tests::succeeded(parse_query(q))) << q;
}

TEST(Query, HasAtMost2048CodePointsAfterTrimming) {
  for (const std::string_view letter : {"a", "知", "😀"}) {
    EXPECT_TRUE(tests::succeeded(parse_query(repeat(letter, 2048))));
    EXPECT_TRUE(tests::succeeded(parse_query(repeat(" ", 100) + repeat(letter, 2048) + "\u3000")));
    EXPECT_TRUE(tests::failed(parse_query(repeat(letter, 2049)), ErrorCode::InvalidArgument, "q"));
  }
}

TEST(Query, IsValidUtf8) {
  for (const std::string_view q : {"ab\xFF",
                                   "\xC0\x80"
                                   "ab",
                                   "ab \xED\xA0\x80", "ab\xE2\x82"})
    EXPECT_TRUE(tests::failed(parse_query(q), ErrorCode::InvalidArgument, "q")) << testing::PrintToString(q);
}

TEST(Query, NamesTheViolatedLengthLimit) {
  EXPECT_NE(parse_query("a").error().message.find("at least 2"), std::string::npos);
  EXPECT_NE(parse_query(repeat("a", 2049)).error().message.find("at most 2048"), std::string::npos);
}

TEST(Query, TakesTimeLinearInItsLength) {
  for (const std::string_view part : {"“", "‘a", "«", "-\"", "\"a", "「", "- ", "OR ", "a OR "}) {
    const std::string q = repeat(part, kMaxQueryCodePoints / utf8::code_points(part));
    EXPECT_TRUE(tests::succeeded(parse_query(q))) << part;
  }
}

TEST(Query, IsNeverAnErrorForAnyMixtureOfOperators) {
  // Every text of five of these pieces parses to a valid tree.
  const std::vector<std::string> pieces = {"a", " ", "\"", "-", "*", " OR "};
  for (std::size_t number = 0; number < 6 * 6 * 6 * 6 * 6; ++number) {
    std::string q = "xx ";
    for (std::size_t rest = number, length = 0; length < 5; ++length, rest /= pieces.size())
      q += pieces[rest % pieces.size()];
    const auto query = parse_query(q);
    ASSERT_TRUE(query) << q;
    ASSERT_EQ(query->kind, Kind::AllOf);
    for (const QueryNode& child : query->children) {
      ASSERT_NE(child.kind, Kind::AllOf) << q;
      ASSERT_TRUE(child.kind != Kind::AnyOf || child.children.size() >= 2) << q;
      ASSERT_TRUE(child.kind != Kind::Not || child.children.size() == 1) << q;
      for (const QueryNode& leaf : child.children) ASSERT_TRUE(leaf.children.empty()) << q;
    }
  }
}

}  // namespace
}  // namespace kbase::model
