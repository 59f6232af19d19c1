// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>

#include "adapters/text/analyzer.hpp"
#include "adapters/text/titles.hpp"

namespace kbase::tests {
namespace {

using text::Token;

/// Words separated by spaces. The stem follows '~'. Of the further terms of a word, its parts follow '|', alternatives
/// '/', pieces '+', and words that are joined '='.
std::string words(std::string_view source, std::string_view language = "none") {
  text::Analyzer analyzer;
  std::string described;
  analyzer.analyze(source, *text::find_language(language), [&described](const Token& token) {
    switch (token.role) {
      case Token::Role::Part: described += '|'; break;
      case Token::Role::Alternative: described += '/'; break;
      case Token::Role::Piece: described += '+'; break;
      case Token::Role::Joined: described += '='; break;
      default: described += described.empty() ? "" : " ";
    }
    described += token.exact;
    if (!token.stem.empty()) described.append("~").append(token.stem);
  });
  return described;
}

TEST(AnalyzingText, SplitsAtCharactersOtherThanLettersAndDigits) {
  EXPECT_EQ(words("Hello, World! 42 times"), "hello world 42 times");
  EXPECT_EQ(words(""), "");
  EXPECT_EQ(words(" \n\t--- ... "), "");
}

TEST(AnalyzingText, FoldsCaseAccentsAndWidth) {
  EXPECT_EQ(words("STRASSE Straße Café Łódź Ångström ﬁne ＡＢＣ １２"),
            "strasse strasse cafe lodz angstrom fine abc 12");
  EXPECT_EQ(words("e\u0301te\u0301 été"), "ete ete");
  EXPECT_EQ(words("كِتَاب كتاب"), "كتاب كتاب");
}

TEST(AnalyzingText, KeepsCombiningMarksThatFormALetter) { EXPECT_NE(words("がか"), words("かか")); }

TEST(AnalyzingText, StemsInTheGivenLanguage) {
  EXPECT_EQ(words("running connections run", "en"), "running~run connections~connect run");
  EXPECT_EQ(words("Häuser laufen", "de"), "hauser~haus laufen~lauf");
  EXPECT_EQ(words("canciones", "es"), "canciones~cancion");
  EXPECT_EQ(words("running", "none"), "running");
}

TEST(AnalyzingText, AlsoStemsWordsTypedWithoutAccents) {
  text::Analyzer analyzer;
  const auto described = [&analyzer](std::string_view word, std::string_view code) {
    std::string all;
    analyzer.analyze(word, *text::find_language(code), [&all](const text::Token& token) {
      all = std::string(token.exact) + ' ' + std::string(token.stem) + ' ' + std::string(token.stem_of_exact);
    });
    return all;
  };
  for (int round = 0; round < 2; ++round) {  // computed, then cached
    EXPECT_EQ(described("Presentaci\u00F3n", "es"), "presentacion present presentacion");
    EXPECT_EQ(described("r\u00E9sum\u00E9", "en"), "resume  resum");
    EXPECT_EQ(described("resume", "en"), "resume resum ");
    EXPECT_EQ(described("H\u00E4user", "de"), "hauser haus ");
  }
}

TEST(AnalyzingText, DropsTheEnglishPossessive) {
  EXPECT_EQ(words("the dog's tail, the dog\u2019s"), "the dog tail the dog");
  EXPECT_EQ(words("isn't l'avion"), "isn t=isnt l avion=lavion");
}

TEST(AnalyzingText, SplitsIdentifiersAndPaths) {
  EXPECT_EQ(words("std::vector foo_bar /etc/passwd data.json"), "std vector foo bar=foobar etc passwd data json");
  EXPECT_EQ(words("ECONNREFUSED x86_64 utf-8"), "econnrefused x86 64=x8664 utf 8=utf8");
}

TEST(AnalyzingText, SplitsWordsAtChangesOfCase) {
  EXPECT_EQ(words("fooBar"), "foobar|foo|bar");
  EXPECT_EQ(words("getUserName"), "getusername|get|getuser|user|username|name");
  EXPECT_EQ(words("XMLHttpRequest"), "xmlhttprequest|xml|xmlhttp|http|httprequest|request");
  EXPECT_EQ(words("JavaScript GitHub HTTP iPhone"), "javascript github http iphone|i|phone");
  EXPECT_EQ(words("taWguo8RK9Bn3kQQ"), "tawguo8rk9bn3kqq");
}

TEST(AnalyzingText, SplitsLettersFromDigits) {
  EXPECT_EQ(words("sha512 512MB IPv6"), "sha512+sha+512 512mb+512+mb ipv6+ipv+6");
  EXPECT_EQ(words("x86 0x80070005 a1b2c3 2020"), "x86 0x80070005 a1b2c3 2020");
}

TEST(AnalyzingText, JoinsWordsThatMarksJoin) {
  EXPECT_EQ(words("Wi-Fi e‑mail SHA-512"), "wi fi=wifi e mail=email sha 512=sha512");
  EXPECT_EQ(words("Node.js U.S.A. example.com"), "node js=nodejs u s a=usa example com");
  EXPECT_EQ(words("O'Reilly’s Комп'ютер"), "o reilly=oreilly комп ютер=компютер");
  EXPECT_EQ(words("$1,299.99 1,5 3-4"), "1 299.99|299|99=1299.99 1 5 3 4");
  EXPECT_EQ(words("00:1A:2B:3C:4D:5E 12:30"), "00 1a 2b 3c 4d 5e=001a2b3c4d5e 12 30");
  EXPECT_EQ(words("a-b_c"), "a b=ab c");
  EXPECT_EQ(words("one-two-three-four-five-six-seven"), "one two three four five six seven");
  EXPECT_EQ(words("transatlantic-communications"), "transatlantic communications");
}

TEST(AnalyzingText, KeepsTheOptionsOfCommandLines) {
  EXPECT_EQ(words("tar -xzf --dry-run `-v`"), "tar -xzf/xzf -dry/dry run=dryrun -v/v");
  EXPECT_EQ(words("a -5 b - c ---d e-f"), "a 5 b c d e f=ef");
}

TEST(AnalyzingText, ComparesKoreanWordsWithoutParticles) {
  EXPECT_EQ(words("백업은 백업에서 백업"), "백업은~백업 백업에서~백업 백업");
  EXPECT_EQ(words("재설정하는 재설정할 비밀번호를"), "재설정하는~재설정 재설정할~재설정 비밀번호를~비밀번호");
}

TEST(AnalyzingText, FindsHebrewWordsWithoutPrefixes) {
  EXPECT_EQ(words("הספר"), "הספר/ספר");
  EXPECT_EQ(words("ובספרייה"), "ובספרייה/בספרייה/ספרייה");
  EXPECT_EQ(words("ספר"), "ספר");
}

TEST(AnalyzingText, ComparesTheSpellingsOfHindi) {
  EXPECT_EQ(words("हिन्दी हिंदी"), "हिंदी हिंदी");
  EXPECT_EQ(words("क़लम ज़रूरत अन्य"), "कलम जरूरत अन्य");
}

TEST(AnalyzingText, AlsoKeepsNamesWithSymbolsWhole) {
  EXPECT_EQ(words("C++ c++11 C# notepad++"), "c++|c c++|c 11 c#|c notepad++|notepad");
  EXPECT_EQ(words("Ｃ＋＋ Ｃ＃"), "c++|c c#|c");
  EXPECT_EQ(words(".NET ~/.bashrc (.json)"), ".net/net .bashrc/bashrc .json/json");
  EXPECT_EQ(words("the end. Next a+b ...and"), "the end next a b and");
}

TEST(AnalyzingText, IndexesVersionsWithTheirPrefixesAndParts) {
  EXPECT_EQ(words("1.2.3"), "1.2.3|1|1.2|2|3");
  EXPECT_EQ(words("v1.2.3"), "v1.2.3+1.2.3|v1|v1.2|1.2|2|3");
  EXPECT_EQ(words("Python3.11 TLSv1.2 5. 6"), "python3.11+python+3.11|python3|11 tlsv1.2+tls+1.2|tlsv1|2 5 6");
  EXPECT_EQ(words("v2.0rc1 802.11ax"), "v2.0rc1+2.0rc1|v2|0rc1|v2.0|2.0|0 802.11ax|802|11ax|802.11|11");
}

TEST(AnalyzingText, SplitsUnspacedScriptsIntoPairs) {
  EXPECT_EQ(words("北京大学。"), "北京 京大 大学|学");
  EXPECT_EQ(words("字"), "字");
  EXPECT_EQ(words("Python编程"), "python 编程|程");
  EXPECT_EQ(words("ไทย"), "ไท ทย|ย");
  EXPECT_EQ(words("한국어 문서"), "한국어 문서");
}

TEST(AnalyzingText, ReturnsThePositionOfAWord) {
  text::Analyzer analyzer;
  const std::string source = "\u00C9t\u00E9 C++ 北京大";
  std::string slices;
  analyzer.analyze(source, text::Language::None, [&](const Token& token) {
    slices += std::to_string(token.position) + source.substr(token.begin, token.end - token.begin) + ' ';
  });
  EXPECT_EQ(slices, "0\u00C9t\u00E9 1C++ 1C 2北京 3京大 3大 ");
}

TEST(AnalyzingText, ShortensLongWordsToTheirBeginningAndAHash) {
  const std::string one = words(std::string(5000, 'a') + "one"), two = words(std::string(5000, 'a') + "two");
  EXPECT_EQ(one.size(), text::kMaxWordBytes);
  EXPECT_EQ(one.substr(0, 48), std::string(48, 'a'));
  EXPECT_NE(one, two);
  EXPECT_EQ(words(std::string(5000, 'A') + "ONE"), one);
  std::string wide;
  for (int i = 0; i < 500; ++i) wide += "\u0436";
  EXPECT_EQ(words(wide).size(), text::kMaxWordBytes);
}

TEST(AnalyzingText, AcceptsInvalidUtf8) {
  EXPECT_EQ(words("abc\xFF\xFE"
                  "def\xC3"),
            "abc def");
  EXPECT_EQ(words("\xE4\xB8"), "");
  EXPECT_EQ(words(std::string_view("a\0b", 3)), "a b");
}

TEST(AnalyzingText, CachesWordsSeparatelyForEachLanguage) {
  text::Analyzer analyzer;
  for (int round = 0; round < 2; ++round)
    for (const std::string_view code : {"en", "de", "none"}) {
      std::string stem;
      analyzer.analyze("nationalities", *text::find_language(code), [&](const Token& token) { stem = token.stem; });
      EXPECT_EQ(stem, code == "en" ? "nation" : code == "de" ? "nationaliti" : "") << code;
    }
}

/// Words of two to six letters, with suffixes that some stemmer removes.
std::string invented_words() {
  std::string words;
  for (char a = 'a'; a <= 'z'; ++a)
    for (char b = 'a'; b <= 'z'; ++b)
      for (const char* ending : {"", "s", "y", "ying", "ies", "een", "issa", "ment"})
        words += std::string({a, b}) + ending + ' ';
  return words;
}

TEST(FindingWords, FindsEveryWordWhoseExactFormOrStemHasThePrefix) {
  const std::string words = invented_words();
  for (std::size_t number = 0; number < text::kLanguages; ++number) {
    const auto language = static_cast<text::Language>(number);
    text::Analyzer analyzer;
    for (const std::string_view beginning : {"di", "dy", "ba", "e", "xy"}) {
      const auto begins = [&](std::string_view word) { return word.starts_with(beginning); };
      const auto is_wanted = [&](const Token& token) { return begins(token.exact) || begins(token.stem); };
      std::vector<std::size_t> wanted;
      analyzer.analyze(words, language, [&](const Token& token) {
        if (is_wanted(token)) wanted.push_back(token.begin);
      });
      text::PrefixSet beginnings;
      beginnings.add(beginning);
      std::vector<std::size_t> found;
      analyzer.find(words, language, beginnings, [&](const Token& token) {
        if (is_wanted(token)) found.push_back(token.begin);
        return Visit::Continue;
      });
      ASSERT_FALSE(wanted.empty());
      EXPECT_EQ(found, wanted) << beginning << " in " << text::name_of(language);
    }
  }
}

TEST(FindingWords, FindsWordsWithPartsAndMarksInAnyText) {
  std::mt19937 random(30);
  const std::string_view pieces[] = {"wi",  "Fi", "fi",     "WI",     "a",      "B",      "net", "Net", "sha",
                                     "512", "1",  ".",      "-",      "'s",     "+",      "#",   "_",   ",",
                                     " ",   "\n", "\u00E9", "\u2019", "\u2014", "\u4E2D", "\xFF"};
  const std::string_view wanted_words[] = {"wi",  "fi",  "wifi", "a",  "b",   "net", ".net",
                                           "-fi", "sha", "512",  "ab", "1.5", "c++", "e"};
  text::Analyzer analyzer;
  for (int round = 0; round < 3'000; ++round) {
    std::string source;
    for (std::size_t left = random() % 40; left > 0; --left) source += pieces[random() % std::size(pieces)];
    const std::string_view wanted = wanted_words[random() % std::size(wanted_words)];
    text::PrefixSet prefixes;
    prefixes.add(wanted);
    std::multiset<std::size_t> all, found;
    analyzer.analyze(source, text::Language::None, [&](const Token& token) {
      if (token.exact == wanted) all.insert(token.begin);
    });
    analyzer.find(source, text::Language::None, prefixes, [&](const Token& token) {
      if (token.exact == wanted) found.insert(token.begin);
      return Visit::Continue;
    });
    ASSERT_EQ(found, all) << wanted << " in " << source;
  }
}

TEST(DetectingLanguages, DetectsTheLanguageOfLongerTexts) {
  EXPECT_EQ(name_of(text::detect_language("", "The quick brown fox jumps over the lazy dog and runs into the forest.")),
            "en");
  EXPECT_EQ(
      name_of(text::detect_language("", "Der Hund läuft durch den Wald und sucht nach seinem Herrn, der ihn rief.")),
      "de");
  EXPECT_EQ(name_of(text::detect_language("", "这个句子是用中文写的，没有词干。它很长。")), "none");
}

TEST(DetectingLanguages, TreatsShortAsciiAsEnglish) {
  EXPECT_EQ(name_of(text::detect_language("Pipes", "")), "en");
  EXPECT_EQ(name_of(text::detect_language("\u00E9\u00E8", "")), "none");
  EXPECT_EQ(name_of(text::detect_language("", "\xFF\xFE\x80")), "none");
}

TEST(DetectingLanguages, TakesTitleAndContentTogetherIfTheContentIsTooShort) {
  const char* const title = "Der Hund l\u00E4uft durch den Wald und sucht nach seinem Herrn, der ihn rief";
  EXPECT_EQ(name_of(text::detect_language(title, "1234")), "de");
}

TEST(Titles, AreStemmedInTheLanguageOfTheContentAndInEnglish) {
  const auto forms = [](std::string_view title, std::string_view content_language) {
    text::Analyzer analyzer;
    std::string all;
    analyzer.analyze_title(title, text::item_languages(*text::find_language(content_language)),
                           [&](const text::Token& token) {
                             all.append(" ").append(token.exact);
                             if (!token.stem.empty()) all.append("/").append(token.stem);
                           });
    return all;
  };
  EXPECT_EQ(forms("Pastas", "it"), " pastas pasta");
  EXPECT_EQ(forms("Emojis", "none"), " emojis emoji");
  EXPECT_EQ(forms("Emojis", "en"), " emojis/emoji") << "once if both are the same";
}

TEST(ReadingText, StaysWithinItsBounds) {
  constexpr std::size_t kPage = 4096;
  char* page = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(page), MAP_FAILED);
  ASSERT_EQ(mprotect(page + kPage, kPage, PROT_NONE), 0);
  const std::string source =
      "The quick brown fox jumps over \u00C9t\u00E9 Stra\u00DFe C++ 1.2.3 .NET dog's \u7E8E\u5728\u4E8Ei ";
  text::Analyzer analyzer;
  std::size_t seen = 0;
  for (std::size_t begin = 0; begin < source.size(); ++begin)
    for (std::size_t size = 0; size <= source.size() - begin; ++size) {
      char* start = page + kPage - size;
      std::copy_n(source.data() + begin, size, start);
      const std::string_view at_the_end(start, size);
      analyzer.analyze(at_the_end, text::Language::None, [&seen](const Token&) { ++seen; });
      text::detect_language("", at_the_end);
    }
  EXPECT_GT(seen, source.size());
  munmap(page, 2 * kPage);
}

}  // namespace
}  // namespace kbase::tests
