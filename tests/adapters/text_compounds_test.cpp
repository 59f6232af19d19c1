// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/compounds.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace kbase::tests {
namespace {

/// Returns the compounds of `words` that are added to the query `q`.
std::string compounds(std::string_view q, const std::set<std::string>& words, std::string_view language = "de") {
  text::Analyzer analyzer;
  const std::vector<text::Language> languages{*text::find_language(language)};
  text::Query query = text::analyze_query(analyzer, model::parse_query(q).value(), languages);
  const auto visit_containing = [&](std::string_view part, text::Vocabulary::Sink sink) {
    for (const std::string& word : words)
      if (word.find(part) != std::string::npos) sink(word);
  };
  const auto has = [&](std::string_view word) { return words.contains(std::string(word)); };
  text::add_compounds(query, analyzer, languages, {visit_containing, has});
  std::string added;
  for (const text::Clause& clause : query.clauses)
    for (std::size_t i = 1; i < clause.alternatives.size(); ++i)
      for (const std::string& term : clause.alternatives[i][0][0].terms)
        if (words.contains(term)) added.append(added.empty() ? "" : " ").append(term);
  return added;
}

TEST(Compounds, AreFoundByTheirParts) {
  const std::set<std::string> words{
      "krankenversicherungsbeitrage", "krankenversicherung", "beitrage", "rathaus", "rat", "haustur", "tur", "haus"};
  EXPECT_EQ(compounds("Versicherung", words), "krankenversicherung krankenversicherungsbeitrage");
  EXPECT_EQ(compounds("Beitr\u00E4ge", words), "krankenversicherungsbeitrage");
  EXPECT_EQ(compounds("Haus", words), "haustur rathaus");
}

TEST(Compounds, AreNotFoundByLettersThatAreNoPart) {
  const std::set<std::string> words{"praktisch", "verwalter", "preise", "literatur", "hauser"};
  EXPECT_EQ(compounds("Tisch", words), "") << "prak is no word";
  EXPECT_EQ(compounds("Alter", words), "");
  EXPECT_EQ(compounds("Reise", words), "") << "one letter remains";
  EXPECT_EQ(compounds("Rat", words), "") << "too short";
  EXPECT_EQ(compounds("Haus", words), "") << "another form of it";
}

TEST(Compounds, HaveJointsAndEndings) {
  const std::set<std::string> words{"arbeit", "arbeitstages", "hunde", "hundehutten", "tag", "hutte"};
  EXPECT_EQ(compounds("Arbeit", words), "arbeitstages");
  EXPECT_EQ(compounds("Hutte", words), "hundehutten");
}

TEST(Compounds, AreAddedInLanguagesThatHaveThem) {
  const std::set<std::string> words{"ziektekostenverzekering", "sjukf\u00F6rs\u00E4kring", "healthinsurance"};
  EXPECT_EQ(compounds("verzekering", words, "nl"), "ziektekostenverzekering");
  EXPECT_EQ(compounds("insurance", words, "en"), "");
}

TEST(Compounds, AreNotAddedToQuotedWordsBeginningsAndAlternatives) {
  const std::set<std::string> words{"krankenversicherung"};
  for (const char* const q : {"\"Versicherung\"", "Versicherung*", "Versicherung OR Beitrag", "-Versicherung Beitrag"})
    EXPECT_EQ(compounds(q, words), "") << q;
}

}  // namespace
}  // namespace kbase::tests
