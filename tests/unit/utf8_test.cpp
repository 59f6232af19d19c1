// SPDX-License-Identifier: Apache-2.0
#include "domain/base/text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kbase::utf8 {
namespace {

using namespace std::string_literals;

TEST(Utf8, AcceptsTheFirstAndLastCodePointOfEachLength) {
  for (const std::string& text : {"\0"s, "\x7F"s, "\xC2\x80"s, "\xDF\xBF"s, "\xE0\xA0\x80"s, "\xED\x9F\xBF"s,
                                  "\xEE\x80\x80"s, "\xEF\xBF\xBF"s, "\xF0\x90\x80\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_TRUE(is_valid(text)) << testing::PrintToString(text);
    EXPECT_EQ(sequence_length(text), text.size());
    EXPECT_EQ(code_points(text), 1u);
  }
}

TEST(Utf8, RejectsSequencesThatRfc3629Forbids) {
  const std::vector<std::string> overlong = {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF"};
  const std::vector<std::string> surrogates = {"\xED\xA0\x80", "\xED\xBF\xBF"};
  const std::vector<std::string> beyond = {"\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE"};
  const std::vector<std::string> broken = {"\x80",
                                           "\xBF",
                                           "\xC2",
                                           "\xE2\x82",
                                           "\xF0\x9F\x98",
                                           "\xC2"
                                           "A",
                                           "\xE2\x28\xA1"};
  for (const auto& group : {overlong, surrogates, beyond, broken})
    for (const std::string& text : group) {
      EXPECT_FALSE(is_valid(text)) << testing::PrintToString(text);
      EXPECT_EQ(sequence_length(text), 0u) << testing::PrintToString(text);
      EXPECT_FALSE(is_valid("good " + text + " good"));
    }
}

TEST(Utf8, AcceptsAnEmptyText) {
  EXPECT_TRUE(is_valid(""));
  EXPECT_EQ(sequence_length(""), 0u);
  EXPECT_EQ(code_points(""), 0u);
}

TEST(Utf8, CountsCodePointsAndNotBytesOrGraphemes) {
  EXPECT_EQ(code_points("né"), 2u);
  EXPECT_EQ(code_points("ne\u0301"), 3u);
  EXPECT_EQ(code_points("👩‍👩‍👧"), 5u);
  EXPECT_EQ(code_points("知识库"), 3u);
}

TEST(Utf8, CutsAPrefixAtACodePointBoundary) {
  EXPECT_EQ(prefix("aé知😀z", 0), "");
  EXPECT_EQ(prefix("aé知😀z", 1), "a");
  EXPECT_EQ(prefix("aé知😀z", 2), "aé");
  EXPECT_EQ(prefix("aé知😀z", 4), "aé知😀");
  EXPECT_EQ(prefix("aé知😀z", 5), "aé知😀z");
  EXPECT_EQ(prefix("aé知😀z", 99), "aé知😀z");
}

TEST(Utf8, DetectsEveryControlCharacter) {
  for (unsigned code = 0; code < 0x20; ++code) EXPECT_TRUE(has_control("a"s + static_cast<char>(code))) << code;
  EXPECT_TRUE(has_control("\x7F"));
  EXPECT_TRUE(has_control("\u0080"));
  EXPECT_TRUE(has_control("x\u009Fy"));
}

TEST(Utf8, DetectsNoPrintableCharacterAsControl) {
  EXPECT_FALSE(has_control(" ~"));
  EXPECT_FALSE(has_control("\u00A0"));
  EXPECT_FALSE(has_control("\u00FF知\u2028😀"));
  EXPECT_FALSE(has_control("\u0200"));  // its second byte is 0x80, but after another lead byte
}

// White_Space characters of Unicode 15, PropList.txt.
const std::vector<std::string> kSpaces = {"\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\u0085",
                                          "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004",
                                          "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A", "\u2028",
                                          "\u2029", "\u202F", "\u205F", "\u3000"};

TEST(Utf8, TrimsEveryKindOfWhiteSpace) {
  for (const std::string& space : kSpaces)
    EXPECT_EQ(trimmed(space + "a" + space + "b" + space), "a" + space + "b") << testing::PrintToString(space);
}

TEST(Utf8, TrimsWhiteSpaceInAnyOrderAndNumber) {
  std::string all;
  for (const std::string& space : kSpaces) all += space;
  EXPECT_EQ(trimmed(all + all + "x y" + all + all), "x y");
  EXPECT_EQ(trimmed("\u3000 \t\u00A0x\u2029\n \u205F"), "x");
  EXPECT_EQ(trimmed(all), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Utf8, RecognizesALineOfGraphicAsciiWithSingleBlanks) {
  const std::string line = "0123456789 one two\nthree, 4; (five) ~ !";
  EXPECT_TRUE(is_simple_line(line));
  for (std::size_t end = 1; end <= line.size(); ++end)
    EXPECT_EQ(is_simple_line(line.substr(0, end)), line[end - 1] != ' ' && line[end - 1] != '\n') << end;
  for (std::size_t at = 0; at < line.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = line;
      changed[at] = static_cast<char>(byte);
      const bool is_blank = byte == ' ' || byte == '\n';
      const auto is_blank_at = [&](std::size_t i) { return i >= line.size() || line[i] == ' ' || line[i] == '\n'; };
      const bool is_simple = is_blank ? !is_blank_at(at - 1) && !is_blank_at(at + 1) : byte > ' ' && byte < 0x7F;
      ASSERT_EQ(is_simple_line(changed), is_simple) << at << ": " << byte;
    }
  }
  EXPECT_FALSE(is_simple_line(""));
}

TEST(Utf8, KeepsCharactersThatOnlyLookLikeWhiteSpace) {
  for (const char* text : {"\u200B", "\u180E", "\uFEFF", "\u2060", "\u0007"}) EXPECT_EQ(trimmed(text), text);
}

}  // namespace
}  // namespace kbase::utf8
