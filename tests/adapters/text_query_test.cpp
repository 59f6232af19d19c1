// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "adapters/text/ranking.hpp"
#include "adapters/text/substitutes.hpp"

namespace kbase::tests {
namespace {

std::string describe(const text::QueryPhrase& phrase) {
  std::string text;
  for (const text::QueryWord& word : phrase) {
    if (!text.empty()) text += ' ';
    for (std::size_t i = 0; i < word.terms.size(); ++i) text += (i > 0 ? "/" : "") + word.terms[i];
    if (word.prefix) text += '*';
  }
  return '[' + text + ']';
}

/// Clauses with their alternatives, then phrases after "+" and exclusions after "-".
std::string describe(const text::Query& query) {
  std::string all;
  for (const text::Clause& clause : query.clauses) {
    std::string alternatives;
    for (const auto& alternative : clause.alternatives) {
      if (!alternatives.empty()) alternatives += " or ";
      for (const text::QueryPhrase& phrase : alternative) alternatives += describe(phrase);
    }
    all += '{' + alternatives + '}';
  }
  for (const text::QueryPhrase& phrase : query.phrases) all += '+' + describe(phrase);
  for (const text::QueryPhrase& phrase : query.exclusions) all += '-' + describe(phrase);
  return all;
}

std::string analyzed(std::string_view q, std::vector<std::string_view> codes = {}) {
  std::vector<text::Language> languages;
  for (const std::string_view code : codes) languages.push_back(*text::find_language(code));
  text::Analyzer analyzer;
  return describe(text::analyze_query(analyzer, model::parse_query(q).value(), languages));
}

/// `known`: the words and phrases that an index has.
std::string adapted(std::string_view q, const std::set<std::string>& known) {
  text::Analyzer analyzer;
  text::Query query = text::analyze_query(analyzer, model::parse_query(q).value(), {});
  text::adapt_substitutes(query, analyzer, {}, [&](std::span<const text::QueryWord> words) {
    return known.contains(describe(text::QueryPhrase(words.begin(), words.end())));
  });
  return describe(query);
}

TEST(AnalyzingQueries, MakesOneClausePerWord) {
  EXPECT_EQ(analyzed("blue, river OR x"), "{[blue]}{[river] or [x]}");
  EXPECT_EQ(analyzed("same SAME s\u00E4me"), "{[same]}");
}

/// Returns the query with synonyms of its first word.
std::string analyzed_with(std::string_view q, const std::vector<model::QueryNode>& synonyms) {
  model::QueryNode root = model::parse_query(q).value();
  root.children[0].children = synonyms;
  text::Analyzer analyzer;
  return describe(text::analyze_query(analyzer, root, {}));
}

TEST(AnalyzingQueries, TakesSynonymsAsSubstitutesOfTheWord) {
  using Kind = model::QueryNode::Kind;
  EXPECT_EQ(analyzed_with("k8s pod", {{Kind::Word, "Kubernetes", {}}, {Kind::Phrase, "container cluster", {}}}),
            "{[k8s] or [kubernetes] or [container cluster] or [k8spod]}{[pod] or [k8spod]}");
  EXPECT_EQ(analyzed_with("two-words pod", {{Kind::Word, "one", {}}}),
            "{[two] or [twowords] or [one]}{[words] or [twowords] or [one]}{[pod]}");
  EXPECT_EQ(analyzed_with("net pod", {{Kind::Word, "Wi-Fi", {}}, {Kind::Word, "?!", {}}}),
            "{[net] or [wi][fi] or [wifi] or [netpod]}{[pod] or [netpod]}");
}

/// Returns the words that rank with their weights, if every word of `rarities` is as rare and items have it.
std::string weighed(const model::QueryNode& root, const std::map<std::string, double>& rarities) {
  text::Analyzer analyzer;
  const text::Query query = text::analyze_query(analyzer, root, {});
  std::ostringstream out;
  std::vector<double> before;
  for (const text::RankedWord& ranked : text::ranked_words(query)) {
    const auto known = rarities.find(ranked.word->terms.front());
    out << ranked.word->terms.front() << ' ' << ranked.weight(known == rarities.end() ? 9 : known->second, before)
        << ' ';
    before.push_back(known == rarities.end() ? 0 : known->second);
  }
  return out.str();
}

TEST(RankingWords, WeighsASynonymBelowItsWordUnlessNoItemHasTheWord) {
  model::QueryNode root = model::parse_query("pod \"net\"").value();
  root.children[0].children = {{model::QueryNode::Kind::Word, "case", {}}};
  EXPECT_EQ(weighed(root, {{"pod", 5}, {"case", 4}, {"net", 3}}), "pod 5 case 0.8 net 3 ");
  EXPECT_EQ(weighed(root, {{"pod", 2}, {"case", 4}, {"net", 3}}), "pod 2 case 0.4 net 3 ");
  EXPECT_EQ(weighed(root, {{"case", 4}, {"net", 3}}), "pod 9 case 4 net 3 ");
}

TEST(RankingWords, WeighsATypedWordWholeThatIsASynonymToo) {
  model::QueryNode root = model::parse_query("pod case").value();
  root.children[0].children = {{model::QueryNode::Kind::Word, "case", {}}};
  EXPECT_EQ(weighed(root, {{"pod", 5}, {"case", 4}}), "pod 5 case 4 podcase 0.9 ");
}

TEST(AnalyzingQueries, AddsTheWordThatNeighboursMakeTogether) {
  EXPECT_EQ(analyzed("back ups", {"en"}),
            "{[back/~back] or [backups/backup/~backup]}{[ups/up/~up] or [backups/backup/~backup]}");
  EXPECT_EQ(analyzed("blue C++ \"a\" river"), "{[blue]}{[c++]}{[river]}+[a]");
  EXPECT_EQ(analyzed("averylongword anotherlongword"), "{[averylongword]}{[anotherlongword]}");
}

TEST(AnalyzingQueries, AddsTheWordThatMarksJoin) {
  EXPECT_EQ(analyzed("foo_bar"), "{[foo] or [foobar]}{[bar] or [foobar]}");
  EXPECT_EQ(analyzed("\"foo_bar\" -wi-fi"), "+[foo bar]-[wi fi]");
}

TEST(AnalyzingQueries, AddsThePiecesOfAWord) {
  EXPECT_EQ(analyzed("sha512"), "{[sha512] or [sha][512]}");
  EXPECT_EQ(analyzed("v1.2.3"), "{[v1.2.3] or [1.2.3]}");
  EXPECT_EQ(analyzed("profile1.2", {"en"}), "{[profile1.2/~profile1.2] or [profile/profil/~profil][1.2/~1.2]}");
  EXPECT_EQ(analyzed("TLSv1.2 OR x"), "{[tlsv1.2] or [tls][1.2] or [x]}");
}

TEST(AnalyzingQueries, RequiresOptionalWordsIfThereAreNoOthers) {
  text::Analyzer analyzer;
  model::QueryNode root;
  root.children.push_back({model::QueryNode::Kind::Word, "the", {}, true});
  root.children.push_back({model::QueryNode::Kind::Word, "...", {}, false});
  EXPECT_FALSE(text::analyze_query(analyzer, root, {}).clauses.at(0).is_optional);
  root.children.push_back({model::QueryNode::Kind::Word, "cache", {}, false});
  EXPECT_TRUE(text::analyze_query(analyzer, root, {}).clauses.at(0).is_optional);
}

TEST(AnalyzingQueries, MatchesOptionsInQuotesAsOptions) {
  EXPECT_EQ(analyzed("--amend"), "{[-amend/amend]}");
  EXPECT_EQ(analyzed("\"-xzf\""), "+[-xzf]");
  EXPECT_EQ(analyzed("\"-node.js\"", {"en"}), "+[-node/~-node js/~js]");
}

TEST(AnalyzingQueries, MayBeATitle) {
  const auto title = [](std::string_view q) {
    text::Analyzer analyzer;
    return text::analyze_query(analyzer, model::parse_query(q).value(), {}).title;
  };
  EXPECT_EQ(title("Reset \"your password\"!"), "reset your password");
  EXPECT_EQ(title("DNS-over-HTTPS (DoH) FAQs"), "dns over https doh faqs");
  EXPECT_EQ(title("reset -password"), "");
  EXPECT_EQ(title("reset OR password"), "");
  EXPECT_EQ(title("reset pass*"), "");
}

TEST(AnalyzingQueries, StemsInEachLanguage) {
  EXPECT_EQ(analyzed("houses", {"en"}), "{[houses/hous/~hous]}");
  EXPECT_EQ(analyzed("run", {"en"}), "{[run/~run]}");
  EXPECT_EQ(analyzed("nationalities", {"en", "de"}), "{[nationalities/nation/~nation/nationaliti/~nationaliti]}");
}

TEST(AnalyzingQueries, AlsoStemsWordsWithoutTheirAccents) {
  EXPECT_EQ(analyzed("presentaci\u00F3n", {"es"}), "{[presentacion/present/~present/~presentacion]}");
  EXPECT_EQ(analyzed("r\u00E9sum\u00E9", {"en"}), "{[resume/~resume/resum/~resum]}");
}

TEST(AnalyzingQueries, CountsOccurrencesOfAWord) {
  text::Analyzer analyzer;
  const text::Query query = text::analyze_query(analyzer, model::parse_query("time to time, Time").value(), {});
  ASSERT_EQ(query.clauses.size(), 2U);
  EXPECT_EQ(query.clauses[0].alternatives[0][0][0].times, 3U);
  EXPECT_EQ(query.clauses[1].alternatives[0][0][0].times, 1U);
}

TEST(AnalyzingQueries, KeepsPhrasesAndExclusionsTogether) {
  EXPECT_EQ(analyzed("\"red house\" -foo_bar -\"big car\""), "+[red house]-[foo bar]-[big car]");
}

TEST(AnalyzingQueries, TreatsAlternativesAsOneClause) {
  EXPECT_EQ(analyzed("foo_bar OR \"a b\" OR x* y"), "{[foo][bar] or [foobar] or [a b] or [x*]}{[y]}");
}

TEST(AnalyzingQueries, LeavesPrefixesUnstemmed) {
  EXPECT_EQ(analyzed("connecti* foo_ba*", {"en"}), "{[connecti*]}{[foo/~foo ba*]}");
}

TEST(AnalyzingQueries, TreatsASingleCharacterAsAPrefixOfPairs) {
  EXPECT_EQ(analyzed("京 x"), "{[京*]}{[x]}");
  EXPECT_EQ(analyzed("北京大"), "{[北京]}{[京大]}");
  EXPECT_EQ(analyzed("\"x 京\""), "+[x 京*]");
}

TEST(AnalyzingQueries, FindsExtensionsWithoutTheirDot) { EXPECT_EQ(analyzed(".NET C++"), "{[.net/net]}{[c++]}"); }

TEST(AdaptingSpellings, RemovesThoseThatTheIndexDoesNotHave) {
  EXPECT_EQ(analyzed("wi-fi"), "{[wi] or [wifi]}{[fi] or [wifi]}");
  EXPECT_EQ(adapted("wi-fi", {"[wi]", "[fi]", "[wifi]"}), "{[wi] or [wifi]}{[fi] or [wifi]}");
  EXPECT_EQ(adapted("wi-fi", {"[wi]", "[fi]"}), "{[wi]}{[fi]}");
}

TEST(AdaptingSpellings, SplitsAWordThatTheIndexHasAsTwo) {
  EXPECT_EQ(adapted("wifi", {"[wi]", "[fi]", "[wi fi]"}), "{[wifi] or [wi fi]}");
  EXPECT_EQ(adapted("wifi", {"[wi]", "[fi]"}), "{[wifi]}") << "they are not next to each other";
  EXPECT_EQ(adapted("wifi", {"[wifi]", "[wi]", "[fi]", "[wi fi]"}), "{[wifi]}") << "the index has the word";
  EXPECT_EQ(adapted("\"wifi\" -wifi wifi*", {"[wi]", "[fi]", "[wi fi]"}), "{[wifi*]}+[wifi]-[wifi]");
  EXPECT_EQ(adapted("\u7A7A\u8ABF", {"[\u7A7A*]", "[\u8ABF*]"}), "{[\u7A7A\u8ABF]}") << "a pair of characters";
}

TEST(AnalyzingQueries, LeavesOutNodesWithoutWords) {
  EXPECT_EQ(analyzed("... \"--\" -!! :: a"), "{[a]}");
  text::Analyzer analyzer;
  EXPECT_TRUE(text::analyze_query(analyzer, model::parse_query("-red -\"big car\"").value(), {}).matches_nothing());
}

}  // namespace
}  // namespace kbase::tests
