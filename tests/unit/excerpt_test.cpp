// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "domain/base/text.hpp"
#include "domain/model/item.hpp"

namespace kbase::model {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(Excerpt, IsTheWholeShortText) {
  EXPECT_EQ(excerpt_of(""), "");
  EXPECT_EQ(excerpt_of("A short text."), "A short text.");
}

TEST(Excerpt, IsTheWholeTextOf240CodePoints) {
  for (const std::string_view letter : {"a", "é", "知", "😀"}) {
    const std::string text = repeated(letter, 240);
    EXPECT_EQ(excerpt_of(text), text);
  }
  const std::string words = repeated("word ", 47) + "words";
  ASSERT_EQ(utf8::code_points(words), 240u);
  EXPECT_EQ(excerpt_of(words), words);
}

TEST(Excerpt, IsCutAtAWordBoundaryFrom241CodePoints) {
  const std::string text = repeated("word ", 47) + "longer";
  ASSERT_EQ(utf8::code_points(text), 241u);
  EXPECT_EQ(excerpt_of(text), repeated("word ", 46) + "word…");
}

TEST(Excerpt, CutsAtAnEarlierBoundaryRatherThanInsideAWord) {
  // For any position of the word borders relative to the limit.
  for (std::size_t first = 1; first <= 12; ++first) {
    const std::string text = std::string(first, 'x') + repeated(" abcde", 60);
    const std::string excerpt = excerpt_of(text);
    ASSERT_TRUE(excerpt.ends_with("…")) << excerpt;
    ASSERT_LE(utf8::code_points(excerpt), 240u);
    const std::string kept = excerpt.substr(0, excerpt.size() - std::string_view("…").size());
    ASSERT_TRUE(text.starts_with(kept));
    EXPECT_EQ(text[kept.size()], ' ') << first << ": " << excerpt;
    EXPECT_GT(utf8::code_points(excerpt), 240u - 6u) << "the maximum length";
  }
}

TEST(Excerpt, CutsBeforeAWordThatEndsExactlyAtTheLimit) {
  const std::string text = repeated("abcd ", 47) + "abcde more";  // the 240th code point ends a word; more follows
  EXPECT_EQ(excerpt_of(text), repeated("abcd ", 46) + "abcd…");
}

TEST(Excerpt, CutsATextWithoutBoundariesAtTheLimit) {
  EXPECT_EQ(excerpt_of(repeated("知", 241)), repeated("知", 239) + "…");
  EXPECT_EQ(excerpt_of(repeated("😀", 500)), repeated("😀", 239) + "…");
  EXPECT_EQ(excerpt_of(repeated("a", 100'000)), repeated("a", 239) + "…");
}

TEST(Excerpt, DoesNotShrinkToAHeadingBeforeALongTextWithoutBoundaries) {
  EXPECT_EQ(excerpt_of("标题\n\n" + repeated("知", 500)), "标题 " + repeated("知", 236) + "…");
}

TEST(Excerpt, IsOneLineWithSingleSpaces) {
  EXPECT_EQ(excerpt_of("\n\n # One\r\n\r\n\ttwo   three \n"), "# One two three");
  EXPECT_EQ(excerpt_of("a\u00A0b\u3000c\u2028d\u2029e\u2003\u2003f"), "a b c d e f");
  EXPECT_EQ(excerpt_of(" \n\t\u3000 "), "");
}

TEST(Excerpt, ContainsNoControlCharacter) {
  using namespace std::string_literals;
  EXPECT_EQ(excerpt_of("a\0b\x1B[1mc\x7F"s + "d\u0085e\u009Bf\u0001"), "a b [1mc d e f");
}

TEST(Excerpt, DoesNotCountTrailingWhiteSpace) {
  const std::string text = repeated("word ", 47) + "words";
  EXPECT_EQ(excerpt_of(text + "\n  \n"), text);
}

/// A text with a character outside ASCII is read character by character, most others are not.
TEST(Excerpt, IsCutAtTheSamePlaceInEachAlphabet) {
  std::mt19937 random(1);
  const auto with_other_letters = [](std::string_view text) {
    std::string other;
    for (const char c : text) other += c == 'q' ? std::string("é") : std::string(1, c);
    return other;
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t longest_word = 1 + random() % (round % 10 == 0 ? 80 : 20);
    std::string text;
    for (std::size_t left = 225 + random() % 35; text.size() < left;) {
      for (std::size_t letters = random() % longest_word + 1; letters > 0; --letters) text += "abcq."[random() % 5];
      text += random() % 100 == 0 ? "  " : random() % 10 == 0 ? "\n" : " ";
    }
    if (random() % 2 == 0) text.pop_back();
    ASSERT_EQ(with_other_letters(excerpt_of(text)), excerpt_of(with_other_letters(text))) << text;
  }
}

TEST(Excerpt, CountsARunOfWhiteSpaceOnce) {
  const std::string text = repeated("word \r\n\t ", 47) + "words";
  EXPECT_EQ(excerpt_of(text), repeated("word ", 47) + "words");
}

TEST(Excerpt, StaysValidUtf8WhereverItIsCut) {
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string excerpt = excerpt_of(std::string(shift, 'a') + repeated("é知😀e\u0301", 100));
    EXPECT_TRUE(utf8::is_valid(excerpt));
    EXPECT_LE(utf8::code_points(excerpt), 240u);
  }
}

}  // namespace
}  // namespace kbase::model
