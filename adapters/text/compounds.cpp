// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/compounds.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

constexpr std::size_t kShortestPart = 4;  // letters; all sizes below are of folded words, so nearly always bytes
constexpr std::size_t kSurePart = 8;      // as long as this, a part is hardly contained by chance
constexpr std::size_t kShortestRest = 3;

/// Letters between the parts of a compound, and endings of its last part.
constexpr std::array<std::string_view, 9> kJoints = {"", "s", "n", "e", "en", "er", "es", "ns", "ens"};
constexpr std::array<std::string_view, 12> kEndings = {"",   "e",  "n",  "r",  "s",   "t",
                                                       "en", "er", "es", "et", "ern", "ene"};

template <std::size_t Size> bool contains(const std::array<std::string_view, Size>& all, std::string_view text) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

class CompoundFinder {
 public:
  explicit CompoundFinder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  /// Returns the compounds with one of the parts, in byte order.
  std::set<std::string> find(const std::set<std::string>& parts) const {
    std::set<std::string> compounds;
    for (const std::string& part : parts)
      vocabulary_.visit_containing(part, [&](std::string_view word) {
        if (!parts.contains(std::string(word)) && is_compound(word, part)) compounds.emplace(word);
      });
    return compounds;
  }

 private:
  bool is_compound(std::string_view word, std::string_view part) const {
    for (std::size_t at = word.find(part); at != word.npos; at = word.find(part, at + 1))
      if (fits(word.substr(0, at), word.substr(at + part.size()), part)) return true;
    return false;
  }

  bool fits(std::string_view before, std::string_view after, std::string_view part) const {
    const bool has_ending = contains(kEndings, after);
    if (before.empty() && has_ending) return false;  // another form of the word
    if ((!before.empty() && before.size() < kShortestRest) || (!has_ending && after.size() < kShortestRest))
      return false;
    if (part.size() >= kSurePart) return true;
    return (before.empty() || are_words_before(before)) && (has_ending || are_words_after(after));
  }

  /// Whether the text consists of one or two words, each with a joint after it.
  bool are_words_before(std::string_view text) const {
    if (is_word_before(text)) return true;
    for (std::size_t i = kShortestRest; i + kShortestRest <= text.size(); ++i)
      if (is_word_before(text.substr(0, i)) && is_word_before(text.substr(i))) return true;
    return false;
  }

  bool is_word_before(std::string_view text) const {
    return std::any_of(kJoints.begin(), kJoints.end(), [&](std::string_view joint) {
      return text.ends_with(joint) && is_known(text.substr(0, text.size() - joint.size()));
    });
  }

  /// Whether the text is a joint and one or two words, the last with an ending.
  bool are_words_after(std::string_view text) const {
    return std::any_of(kJoints.begin(), kJoints.end(), [&](std::string_view joint) {
      if (!text.starts_with(joint)) return false;
      const std::string_view words = text.substr(joint.size());
      if (is_word_with_ending(words)) return true;
      for (std::size_t i = kShortestRest; i + kShortestRest <= words.size(); ++i)
        if (is_word_before(words.substr(0, i)) && is_word_with_ending(words.substr(i))) return true;
      return false;
    });
  }

  bool is_word_with_ending(std::string_view text) const {
    return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
      return text.ends_with(ending) && is_known(text.substr(0, text.size() - ending.size()));
    });
  }

  bool is_known(std::string_view word) const { return word.size() >= kShortestRest && vocabulary_.has(word); }

  const Vocabulary& vocabulary_;
};

/// Returns the exact form and the stems of a word that are long enough for a part.
std::set<std::string> parts_of(const QueryWord& word) {
  std::set<std::string> parts;
  if (word.prefix || word.quoted) return parts;
  for (const std::string_view term : word.terms) {
    const std::string_view part = term.front() == kStemMark ? term.substr(1) : term;
    if (utf8::code_points(part) >= kShortestPart && std::none_of(part.begin(), part.end(), ascii::is_digit))
      parts.emplace(part);
  }
  return parts;
}

}  // namespace

bool has_compounds(Language language) {
  constexpr std::array<std::string_view, 6> kCodes = {"da", "de", "fi", "nl", "no", "sv"};
  return contains(kCodes, name_of(language));
}

void add_compounds(Query& query, Analyzer& analyzer, std::span<const Language> languages,
                   const Vocabulary& vocabulary) {
  if (std::none_of(languages.begin(), languages.end(), has_compounds)) return;
  const CompoundFinder finder(vocabulary);
  for (Clause& clause : query.clauses) {
    if (clause.is_optional || clause.alternatives[0].size() != 1 || clause.alternatives[0][0].size() != 1) continue;
    if (clause.alternatives.size() > 1 && !clause.has_substitutes) continue;  // words joined by OR
    QueryWord all{.terms = {}, .origin = WordOrigin::Spelling};
    for (const std::string& compound : finder.find(parts_of(clause.alternatives[0][0][0]))) {
      const auto word = analyze_query_word(analyzer, compound, languages);
      if (!word) continue;
      for (const std::string& term : word->terms)
        if (std::find(all.terms.begin(), all.terms.end(), term) == all.terms.end()) all.terms.push_back(term);
    }
    if (all.terms.empty()) continue;
    clause.alternatives.push_back({{std::move(all)}});
    clause.has_substitutes = true;
  }
}

}  // namespace kbase::text
