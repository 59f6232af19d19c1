// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/dictionary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kbase::tests {
namespace {

using native_index::Dictionary;
using native_index::DictionaryWriter;
using native_index::NearTerm;
using native_index::TermCursor;
using native_index::TermEntry;

using Terms = std::map<std::string, TermEntry>;

std::string written(const Terms& terms) {
  std::string section;
  DictionaryWriter writer(section);
  for (const auto& [term, entry] : terms) writer.add(term, entry);
  writer.finish();
  return section;
}

std::span<const std::byte> bytes_of(const std::string& section) { return std::as_bytes(std::span(section)); }

/// A dictionary together with its section.
class OwnedDictionary {
 public:
  explicit OwnedDictionary(Terms terms) : terms_(std::move(terms)), section_(written(terms_)) {
    auto opened = Dictionary::open(bytes_of(section_));
    EXPECT_TRUE(opened.has_value());
    if (opened) dictionary_ = *opened;
  }
  OwnedDictionary(const OwnedDictionary&) = delete;
  OwnedDictionary& operator=(const OwnedDictionary&) = delete;

  const Terms& terms() const { return terms_; }
  const std::string& section() const { return section_; }
  const Dictionary& operator*() const { return dictionary_; }
  const Dictionary* operator->() const { return &dictionary_; }

 private:
  Terms terms_;
  std::string section_;
  Dictionary dictionary_;
};

Terms numbered(const std::vector<std::string>& words) {
  Terms terms;
  for (const std::string& word : words) terms[word] = {static_cast<std::uint32_t>(terms.size() + 1), terms.size() * 8};
  return terms;
}

/// Words of few different letters, so that many share prefixes and are at a small distance from each other.
std::vector<std::string> random_words(std::mt19937& random, std::size_t count, std::size_t longest,
                                      const std::vector<std::string>& letters) {
  std::vector<std::string> words(count);
  for (std::string& word : words)
    for (std::size_t left = 1 + random() % longest; left > 0; --left) word += letters[random() % letters.size()];
  return words;
}

Terms with_random_entries(std::mt19937& random, const std::vector<std::string>& words) {
  Terms terms;
  for (const std::string& word : words)
    terms[word] = {1 + static_cast<std::uint32_t>(random()) % (1u << random() % 20), random() % (1u << random() % 30)};
  return terms;
}

void expect_same(TermCursor cursor, Terms::const_iterator begin, Terms::const_iterator end) {
  for (auto expected = begin; expected != end; ++expected) {
    ASSERT_TRUE(cursor.next());
    EXPECT_EQ(cursor.term(), expected->first);
    EXPECT_EQ(cursor.entry(), expected->second);
  }
  EXPECT_FALSE(cursor.next());
  EXPECT_FALSE(cursor.damaged());
}

void expect_complete(const OwnedDictionary& owned) {
  EXPECT_EQ(owned->terms(), owned.terms().size());
  for (const auto& [term, entry] : owned.terms()) {
    EXPECT_EQ(owned->find(term), entry) << term;
    for (const std::string& other : {term + 'a', term + '\0', term.substr(0, term.size() / 2), '\x7F' + term})
      EXPECT_EQ(owned->find(other).has_value(), owned.terms().contains(other)) << other;
  }
  expect_same(owned->all(), owned.terms().begin(), owned.terms().end());
}

TEST(Dictionary, FindsExactlyItsTerms) {
  std::mt19937 random(1);
  for (const std::size_t count : {0u, 1u, 2u, 15u, 16u, 17u, 32u, 33u, 1000u, 20000u})
    expect_complete(
        OwnedDictionary(with_random_entries(random, random_words(random, count, 12, {"a", "b", "c", "é", "語"}))));
}

TEST(Dictionary, FindsTermsWithTheSameFirstEightBytes) {
  std::vector<std::string> words = {"customer", "custom", "customes", "customer\1"};
  for (int i = 0; i < 3000; ++i) words.push_back("customer" + std::to_string(i));
  expect_complete(OwnedDictionary(numbered(words)));
}

TEST(Dictionary, AcceptsTermsOfAnyBytesAndLength) {
  std::vector<std::string> words = {"", std::string(1, '\0'), std::string(9, '\0'), "\xFF", "\xFF\xFF", "\x80", "\1 a"};
  for (std::size_t length = 1; length < 600; length += 7) {
    words.push_back(std::string(length, 'x'));
    words.push_back(std::string(length, 'x') + std::string(length, 'y'));
  }
  expect_complete(OwnedDictionary(numbered(words)));
}

TEST(Dictionary, StoresNumbersOfAllSizesInAnyOrder) {
  constexpr std::uint64_t kMostPostings = (std::uint64_t{1} << 56) - 1;
  const TermEntry most = {std::numeric_limits<std::uint32_t>::max(), kMostPostings};
  expect_complete(OwnedDictionary({{"a", most}, {"b", {0, 0}}, {"c", {1, 7}}, {"d", most}}));
  expect_complete(OwnedDictionary({{"a", {5, kMostPostings}}}));
}

TEST(Dictionary, ListsTheTermsOfAPrefixInOrder) {
  std::mt19937 random(2);
  const OwnedDictionary owned(with_random_entries(random, random_words(random, 5000, 9, {"a", "b", "é"})));
  for (const std::string& prefix : random_words(random, 300, 5, {"a", "b", "é", "\xC3", "c"})) {
    const auto begin = owned.terms().lower_bound(prefix);
    const auto end =
        std::find_if(begin, owned.terms().end(), [&](auto& term) { return !term.first.starts_with(prefix); });
    expect_same(owned->prefix(prefix), begin, end);
    auto next = begin;
    owned->visit_entries(prefix, [&](const TermEntry& entry) {
      if (next == end) return Visit::Stop;
      EXPECT_EQ(entry, (next++)->second);
      return Visit::Continue;
    });
    EXPECT_EQ(next, end);
    int visited = 0;
    owned->visit_entries(prefix, [&](const TermEntry&) { return ++visited == 2 ? Visit::Stop : Visit::Continue; });
    EXPECT_EQ(visited, std::min<std::ptrdiff_t>(2, std::distance(begin, end)));
  }
}

TEST(Dictionary, IsValidIfEmpty) {
  for (const Dictionary& empty : {Dictionary(), *OwnedDictionary({})}) {
    EXPECT_EQ(empty.terms(), 0u);
    EXPECT_EQ(empty.find("a"), std::nullopt);
    EXPECT_FALSE(empty.all().next());
    empty.visit_entries("", [](const TermEntry&) {
      ADD_FAILURE();
      return Visit::Stop;
    });
    empty.find_near("word", 2, "", [](const NearTerm&) { ADD_FAILURE(); });
  }
}

TEST(DictionaryWriter, ContinuesAfterItsOutputIsTaken) {
  std::mt19937 random(3);
  const Terms terms = with_random_entries(random, random_words(random, 1000, 9, {"a", "b", "c"}));
  std::string taken;
  std::string out;
  DictionaryWriter writer(out);
  for (const auto& [term, entry] : terms) {
    writer.add(term, entry);
    if (random() % 10 == 0) taken += std::exchange(out, {});
  }
  writer.finish();
  EXPECT_EQ(taken + out, written(terms));
}

// --- Damage ----------------------------------------------------------------------------------------------------

void read_all(const Dictionary& dictionary) {
  std::size_t terms = 0;
  for (TermCursor term = dictionary.all(); term.next();) {
    dictionary.find(term.term());
    ASSERT_LE(++terms, dictionary.terms());
  }
  for (TermCursor term = dictionary.prefix("ab"); term.next();) ASSERT_TRUE(term.term().starts_with("ab"));
  dictionary.find_near("abcab", 2, "", [](const NearTerm& near_terms) { ASSERT_LE(near_terms.distance, 2u); });
}

TEST(DamagedDictionary, IsRejectedIfItsFooterContradictsItsSize) {
  const OwnedDictionary owned(numbered({"one", "two", "three"}));
  for (std::size_t size = 0; size < owned.section().size(); ++size) {
    const auto opened = Dictionary::open(bytes_of(owned.section()).first(size));
    ASSERT_FALSE(opened.has_value()) << size;
    EXPECT_EQ(opened.error().code, ErrorCode::Corrupt);
  }
}

TEST(DamagedDictionary, IsNeverReadBeyondItsSection) {
  std::mt19937 random(4);
  const OwnedDictionary owned(with_random_entries(random, random_words(random, 200, 9, {"a", "b", "c", "é"})));
  for (std::size_t at = 0; at < owned.section().size(); ++at)
    for (const int wrong : {0x00, 0x0F, 0x7F, 0x80, 0xF0, 0xFF}) {
      // On the heap at the exact size, so that a sanitizer detects accesses beyond the end.
      std::vector<char> section(owned.section().begin(), owned.section().end());
      section[at] = static_cast<char>(wrong);
      if (const auto opened = Dictionary::open(std::as_bytes(std::span(section)))) read_all(*opened);
    }
}

TEST(DamagedDictionary, IsNotReadAsAShorterDictionary) {
  OwnedDictionary owned(numbered({"alpha", "beta", "gamma"}));
  std::string section = owned.section();
  section[1] = '\xFF';  // the header of "alpha" now shares 15 or more bytes with a missing term
  const auto opened = Dictionary::open(bytes_of(section));
  ASSERT_TRUE(opened.has_value());
  TermCursor cursor = opened->all();
  EXPECT_FALSE(cursor.next());
  EXPECT_TRUE(cursor.damaged());
  EXPECT_FALSE(cursor.next());
}

// --- Nearest terms ---------------------------------------------------------------------------------------------

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80)
      points.back() = points.back() << 6 | (byte & 0x3F);
    else
      points.push_back(byte < 0x80 ? byte : byte < 0xE0 ? byte & 0x1F : byte < 0xF0 ? byte & 0x0F : byte & 0x07);
  }
  return points;
}

/// Optimal string alignment with the full matrix (Wagner & Fischer 1974, Lowrance & Wagner 1975).
unsigned plain_distance(std::string_view from, std::string_view to) {
  const std::u32string a = code_points(from);
  const std::u32string b = code_points(to);
  std::vector<std::vector<unsigned>> d(a.size() + 1, std::vector<unsigned>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = static_cast<unsigned>(i + j);
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

using NearTerms = std::vector<std::pair<std::string, unsigned>>;

NearTerms near_terms(const OwnedDictionary& owned, std::string_view word, unsigned distance,
                     const std::string& mark = "") {
  NearTerms found;
  owned->find_near(word, distance, mark, [&](const NearTerm& near_terms) {
    found.emplace_back(near_terms.term, near_terms.distance);
    EXPECT_EQ(near_terms.entry, owned.terms().at(mark + std::string(near_terms.term)));
  });
  return found;
}

NearTerms plain_near(const OwnedDictionary& owned, std::string_view word, unsigned most, const std::string& mark = "") {
  NearTerms found;
  for (const auto& [term, entry] : owned.terms()) {
    const std::string_view unmarked = std::string_view(term).substr(std::min(mark.size(), term.size()));
    if (!term.starts_with(mark) || unmarked.empty() || static_cast<unsigned char>(unmarked[0]) < ' ') continue;
    if (const unsigned distance = plain_distance(word, unmarked); distance <= most)
      found.emplace_back(unmarked, distance);
  }
  return found;
}

TEST(NearestTerms, DifferByOneInsertionDeletionReplacementOrSwap) {
  const OwnedDictionary owned(
      numbered({"database", "databases", "datebase", "dtabase", "xdatabase", "adtabase", "atabase", "base"}));
  EXPECT_EQ(near_terms(owned, "database", 1), (NearTerms{{"adtabase", 1},
                                                         {"atabase", 1},
                                                         {"database", 0},
                                                         {"databases", 1},
                                                         {"datebase", 1},
                                                         {"dtabase", 1},
                                                         {"xdatabase", 1}}));
}

TEST(NearestTerms, CountCharactersAndNotBytes) {
  const OwnedDictionary owned(numbered({"größe", "grosse", "中文", "中国", "문서", "😀a"}));
  EXPECT_EQ(near_terms(owned, "grüße", 1), (NearTerms{{"größe", 1}}));
  EXPECT_EQ(near_terms(owned, "größ", 1), (NearTerms{{"größe", 1}}));
  EXPECT_EQ(near_terms(owned, "文中", 1), (NearTerms{{"中文", 1}}));
  EXPECT_EQ(near_terms(owned, "😁a", 1), (NearTerms{{"😀a", 1}}));
}

TEST(NearestTerms, ChangeNoCharacterTwice) {
  const OwnedDictionary owned(numbered({"abc"}));
  EXPECT_EQ(near_terms(owned, "ca", 2), NearTerms{});  // a swap and an insertion inside it count as three changes
}

TEST(NearestTerms, AreSearchedAmongWordsOrBehindTheRequestedMark) {
  const OwnedDictionary owned(numbered({"", "\1", "\1\2x", "\1word", "\1ward", "\2word", "a", "ward", "words"}));
  EXPECT_EQ(near_terms(owned, "word", 1), (NearTerms{{"ward", 1}, {"words", 1}}));
  EXPECT_EQ(near_terms(owned, "word", 1, "\1"), (NearTerms{{"ward", 1}, {"word", 0}}));
  EXPECT_EQ(near_terms(owned, "word", 1, "\2"), (NearTerms{{"word", 0}}));
  EXPECT_EQ(near_terms(owned, "word", 1, "\3"), NearTerms{});
}

TEST(NearestTerms, DoNotExistForEmptyOrTooLongWords) {
  const OwnedDictionary owned(numbered({"a", std::string(63, 'x'), std::string(64, 'x')}));
  EXPECT_EQ(near_terms(owned, "", 2), NearTerms{});
  EXPECT_EQ(near_terms(owned, std::string(64, 'x'), 2), NearTerms{});
  EXPECT_EQ(near_terms(owned, std::string(63, 'x'), 2),
            (NearTerms{{std::string(63, 'x'), 0}, {std::string(64, 'x'), 1}}));
}

TEST(NearestTerms, AcceptInvalidUtf8) {
  std::mt19937 random(6);
  const std::vector<std::string> letters = {"a", "\x80", "\x81", "\xC3", "\xE3", "\xF0", "\xFF"};
  const OwnedDictionary owned(with_random_entries(random, random_words(random, 3000, 40, letters)));
  for (const std::string& word : random_words(random, 100, 8, letters))
    for (const auto& [term, distance] : near_terms(owned, word, 2)) EXPECT_LE(distance, 2u);

  std::vector<std::string> endless;  // invalid characters; each differs from the one before one byte later
  for (std::size_t i = 0; i < 40; ++i)
    endless.push_back("\xF0\x80\x80\x80" + std::string(i, '\x81') + std::string(40, '\x80'));
  EXPECT_EQ(near_terms(OwnedDictionary(numbered(endless)), "a", 2), NearTerms{});
}

TEST(NearestTerms, MatchThePlainDistance) {
  std::mt19937 random(5);
  const std::vector<std::vector<std::string>> alphabets = {
      {"a", "b"}, {"a", "b", "c", "d", "e", "f"}, {"a", "é", "è", "語", "誤", "😀", "😁"}, {"a", "\1", "\2"}};
  for (const auto& letters : alphabets)
    for (const std::size_t longest : {4u, 9u, 20u})
      for (const std::size_t count : {20u, 300u, 3000u}) {
        const OwnedDictionary owned(with_random_entries(random, random_words(random, count, longest, letters)));
        for (const std::string& word : random_words(random, 20, longest, letters))
          for (const unsigned distance : {1u, 2u})
            for (const char* mark : {"", "\1"})
              ASSERT_EQ(near_terms(owned, word, distance, mark), plain_near(owned, word, distance, mark)) << word;
      }
}

}  // namespace
}  // namespace kbase::tests
