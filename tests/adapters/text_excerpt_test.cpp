// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "adapters/text/excerpt.hpp"
#include "domain/base/text.hpp"
#include "domain/model/item.hpp"

namespace kbase::tests {
namespace {

std::string excerpt(std::string_view q, std::string_view content) {
  text::Analyzer analyzer;
  const std::vector<text::Language> english{*text::find_language("en")};
  const text::ExcerptMaker maker(text::analyze_query(analyzer, model::parse_query(q).value(), english));
  const std::string made = maker.make(analyzer, content, english.front()).text;
  EXPECT_LE(utf8::code_points(made), model::kExcerptCodePoints);
  EXPECT_TRUE(utf8::is_valid(made));
  return made;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(MakingExcerpts, ReturnsAShortContentWhole) { EXPECT_EQ(excerpt("wolf", " A  wolf\n\nran. "), "A wolf ran."); }

TEST(MakingExcerpts, StartsAtTheBeginningIfNothingMatches) {
  const std::string content = repeated("some words here ", 40);
  EXPECT_EQ(excerpt("wolf", content), model::excerpt_of(content));
}

TEST(MakingExcerpts, StartsAtTheBeginningIfTheBestMatchIsThere) {
  const std::string content = "A wolf. " + repeated("some words here ", 40) + "wolf";
  EXPECT_EQ(excerpt("wolf", content), model::excerpt_of(content));
}

TEST(MakingExcerpts, PrefersTheWindowWithMostDistinctWords) {
  const std::string content = "wolf wolf wolf " + repeated("filler ", 60) + "the wolf and the lamb met " +
                              repeated("filler ", 60) + "wolf lamb";
  const std::string made = excerpt("wolf lamb", content);
  EXPECT_NE(made.find("the wolf and the lamb met"), std::string::npos) << made;
  EXPECT_TRUE(made.starts_with("…filler")) << made;
  EXPECT_TRUE(made.ends_with("filler…")) << made;
}

TEST(MakingExcerpts, PrefersAPhraseThatIsWhole) {
  const std::string content = "navigational help and one instant, " + repeated("filler ", 60) +
                              "set navigation.instant here, " + repeated("filler ", 60);
  for (const char* q : {"\"navigation.instant\"", "navigation.instant", "\"navigation instant\""})
    EXPECT_NE(excerpt(q, content).find("set navigation.instant here"), std::string::npos) << q;
  EXPECT_TRUE(excerpt("navigation instant", content).starts_with("navigational")) << "words do not need to be whole";
  EXPECT_TRUE(excerpt("\"instant navigation\"", content).starts_with("navigational")) << "in another order";
  EXPECT_NE(excerpt("\"set navigation\" navigation.instant", content).find("set navigation.instant"),
            std::string::npos);
}

TEST(MakingExcerpts, CutsAtTheSamePlaceInEachAlphabet) {
  std::mt19937 random(3);
  const auto with_other_letters = [](std::string_view text) {
    std::string other;
    for (const char c : text) other += c == 'q' ? std::string("é") : std::string(1, c);
    return other;
  };
  for (int round = 0; round < 5'000; ++round) {
    const std::size_t longest_word = 1 + random() % (round % 10 == 0 ? 80 : 20);
    std::string content;
    for (std::size_t left = 400 + random() % 300; content.size() < left;) {
      for (std::size_t letters = random() % longest_word + 1; letters > 0; --letters) content += "abcq."[random() % 5];
      content += random() % 100 == 0 ? "  " : random() % 10 == 0 ? "\n" : " ";
      if (content.size() > 150 && random() % 20 == 0) content += "wolf ";
    }
    if (random() % 2 == 0) content.pop_back();
    ASSERT_EQ(with_other_letters(excerpt("wolf", content)), excerpt("wolf", with_other_letters(content))) << content;
  }
}

TEST(MakingExcerpts, ShowsWhereAPartOfTheContentIsCut) {
  const std::string before = repeated("filler ", 60);
  const std::string content = before + "one wolf " + repeated("lambs ", 60);
  const std::size_t place = before.size();
  const auto part = [&](std::size_t begin, std::size_t end, bool begins_in_word = false) {
    text::Analyzer analyzer;
    const std::vector<text::Language> english{*text::find_language("en")};
    const text::ExcerptMaker maker(text::analyze_query(analyzer, model::parse_query("wolf").value(), english));
    const text::ExcerptSource source(std::string_view(content).substr(begin, end - begin), begin, begins_in_word,
                                     content.size());
    auto made = maker.make(analyzer, source, english.front());
    EXPECT_LE(utf8::code_points(made.text), model::kExcerptCodePoints);
    return made;
  };
  const std::size_t wolf = content.find("wolf");
  EXPECT_EQ(part(place, content.size()).match, wolf);
  EXPECT_TRUE(part(place, content.size()).text.starts_with("…one wolf lambs"));
  EXPECT_TRUE(part(0, content.size()).text.starts_with("…filler"));
  EXPECT_TRUE(part(place - 3, place + 12, true).text.starts_with("…one wolf…")) << "without the end of a word";
  EXPECT_TRUE(part(0, place + 12).text.ends_with("filler one wolf…"));
  EXPECT_GT(part(0, place + 12).text.size(), model::kExcerptCodePoints - 20) << "more before the word";
  EXPECT_EQ(part(0, 30).match, std::nullopt);
  EXPECT_EQ(part(0, 30).text, "filler filler filler filler…");
}

TEST(MakingExcerpts, AreNotLongerBecauseTheContentIsCut) {
  const std::string whole = repeated("长", model::kExcerptCodePoints);
  const std::string content = whole + whole;
  const text::ExcerptSource source(std::string_view(content).substr(0, whole.size() + 3), 0, false, content.size());
  ASSERT_EQ(source.text, whole) << "without the last character, which may be cut";
  text::Analyzer analyzer;
  const text::ExcerptMaker maker(text::analyze_query(analyzer, model::parse_query("lamb").value(), {}));
  const std::string made = maker.make(analyzer, source, text::Language::None).text;
  EXPECT_EQ(utf8::code_points(made), model::kExcerptCodePoints);
  EXPECT_TRUE(made.ends_with("长…")) << made;
}

TEST(MakingExcerpts, TakeAPhraseOfOverlappingPairsForWhole) {
  const std::string apart = "大学 京大 北京 " + repeated("长城", 200);
  const std::string content = apart + "在北京大学里" + repeated("长城", 200);
  EXPECT_NE(excerpt("\"北京大学\"", content).find("在北京大学里"), std::string::npos);
}

TEST(MakingExcerpts, FindSuperscripts) {
  for (const char* number : {"²²", "⁵⁵", "₇₇"}) {
    const std::string content = repeated("filler ", 60) + number + " " + repeated("filler ", 60);
    EXPECT_NE(excerpt(number, content).find(number), std::string::npos) << number;
  }
}

TEST(MakingExcerpts, CutsAPartWithoutBlanksBetweenCharacters) {
  const std::string content = repeated("北京大学", 100);
  const text::ExcerptSource source(std::string_view(content).substr(100, 301), 100, true, content.size());
  EXPECT_TRUE(utf8::is_valid(source.text));
  EXPECT_EQ(source.begin, 102U);
  EXPECT_EQ(source.text.size(), 297U);
}

TEST(MakingExcerpts, FindsInflectedForms) {
  const std::string content = repeated("filler ", 60) + "he was connecting ropes";
  EXPECT_NE(excerpt("connected", content).find("connecting ropes"), std::string::npos);
}

TEST(MakingExcerpts, HasNoEllipsisAtTheEndOfTheContent) {
  const std::string made = excerpt("wolf", repeated("filler ", 60) + "a wolf.");
  EXPECT_TRUE(made.ends_with("a wolf.")) << made;
}

TEST(MakingExcerpts, SplitsUnspacedTextBetweenCharacters) {
  const std::string content = repeated("北京", 300) + "大学" + repeated("北京", 300);
  const std::string made = excerpt("大学", content);
  EXPECT_NE(made.find("大学"), std::string::npos) << made;
  EXPECT_EQ(utf8::code_points(made), model::kExcerptCodePoints);
}

TEST(MakingExcerpts, KeepsAMatchWithoutAFollowingBoundary) {
  const std::string made = excerpt("wolf", repeated("filler ", 60) + "wolf" + repeated(".", 400));
  EXPECT_NE(made.find("wolf"), std::string::npos) << made;
}

TEST(MakingExcerpts, RepairsInvalidText) {
  EXPECT_NE(excerpt("wolf", repeated("filler\xFF ", 60) + "wolf \xC3").find("wolf"), std::string::npos);
}

/// Compares with an excerpt that was made by reading all tokens to the end.
TEST(MakingExcerpts, IsIndependentOfTheLengthOfTheRemainingText) {
  std::mt19937_64 chance(7);
  const std::vector<std::string> vocabulary = {"wolf",   "lambs",  "C++",    "1.2.3", ".NET",     "Ünder",
                                               "filler", "filler", "filler", "a",     "北京大学", "\n"};
  for (int round = 0; round < 300; ++round) {
    std::string content;
    for (std::uint64_t words = chance() % 400; words > 0; --words) content += vocabulary[chance() % 12] + " ";
    // A word that does not occur makes the maker read to the end and is in no window.
    const std::string found = excerpt("wolf lamb under", content);
    const std::string sought = excerpt("wolf lamb under zzzz", content);
    EXPECT_EQ(found, sought) << content;
  }
}

TEST(MakingExcerpts, IsTheSameWithAKnownNumberOfWords) {
  std::mt19937 random(7);
  constexpr std::string_view kWords[] = {"wolf", "moon", "snow", "r\u00E9sum\u00E9", "\u5317\u4EAC"};
  text::Analyzer analyzer;
  const text::ExcerptMaker maker(text::analyze_query(analyzer, model::parse_query("moon wolf wolf snow").value(), {}));
  for (int round = 0; round < 200; ++round) {
    const std::size_t kinds = random() % 5 + 1;
    std::string content;
    for (int i = 0; i < 120; ++i)
      content +=
          (random() % 12 == 0 ? std::string(kWords[random() % kinds]) : "some") + (random() % 9 == 0 ? "\n " : " ");
    std::size_t words = 0;
    for (const std::string_view word : {kWords[0], kWords[1], kWords[2]})
      words += content.find(word) != std::string::npos ? 1 : 0;
    EXPECT_EQ(maker.make(analyzer, content, text::Language::None, words).text,
              maker.make(analyzer, content, text::Language::None).text)
        << content;
  }
}

TEST(MakingExcerpts, SurvivesAWordLongerThanAnExcerpt) {
  const std::string made = excerpt("a* zzz", repeated("filler ", 60) + std::string(3000, 'a') + " end");
  EXPECT_NE(made.find("aaaa"), std::string::npos);
}

/// The text with its highlights in brackets.
std::string marked(std::string_view q, std::string_view text) {
  text::Analyzer analyzer;
  const std::vector<text::Language> english{*text::find_language("en")};
  const text::ExcerptMaker maker(text::analyze_query(analyzer, model::parse_query(q).value(), english));
  std::string shown;
  std::size_t reached = 0;
  for (const model::Highlight& mark : maker.highlights(analyzer, text, {english.front()})) {
    shown.append(text.substr(reached, mark.begin - reached)).append("[");
    shown.append(text.substr(mark.begin, mark.end - mark.begin)).append("]");
    reached = mark.end;
  }
  return shown.append(text.substr(reached));
}

TEST(HighlightingMatches, HighlightsEachQueryWordInAnyForm) {
  EXPECT_EQ(marked("connect wolf", "A Wolf connecting wolves."), "A [Wolf] [connecting] wolves.");
  EXPECT_EQ(marked("resume", "my Résumé, 2 résumés"), "my [Résumé], 2 [résumés]");
  EXPECT_EQ(marked("conn*", "connecting a con"), "[connecting] a con");
}

TEST(HighlightingMatches, MergesOverlappingAndAdjacentHighlights) {
  EXPECT_EQ(marked("foo_bar", "see foo_bar, bar"), "see [foo_bar], [bar]");
  EXPECT_EQ(marked("北京大学", "在北京大学。"), "在[北京大学]。");
}

TEST(HighlightingMatches, HighlightsNothingWithoutAMatch) {
  EXPECT_EQ(marked("wolf -lamb", "a lamb"), "a lamb");
  EXPECT_EQ(marked("wolf", ""), "");
  EXPECT_EQ(marked("-lamb", "a lamb"), "a lamb");
}

}  // namespace
}  // namespace kbase::tests
