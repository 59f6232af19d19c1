// SPDX-License-Identifier: Apache-2.0
// Compares the engine's inner loops with a plain evaluation of the same random lists. Every total, every hit and every
// bit of every score must be equal.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/ranking.hpp"

namespace kbase::native_index {
namespace {

using Positions = std::vector<std::uint32_t>;

/// A term as plain maps, and the posting list built from them.
struct Term {
  std::map<std::uint32_t, std::uint8_t> impacts;
  std::map<std::uint32_t, Positions> positions;
  MemoryPostingList list;
};

Term term_of(std::map<std::uint32_t, std::uint8_t> impacts) {
  PostingBuffer buffer;
  for (const auto& [document, impact] : impacts) buffer.add(document, impact);
  return {std::move(impacts), {}, MemoryPostingList(buffer)};
}

class RandomLists {
 public:
  explicit RandomLists(unsigned seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t end) { return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_); }

  /// Denser in some windows than in others. There are few different impacts, so that scores tie.
  Term term(std::uint32_t documents, bool positioned = false) {
    Term term;
    const std::uint32_t postings = 1 + (below(3) == 0 ? below(documents) : below(1 + documents / 50));
    for (std::uint32_t i = 0; i < postings; ++i) {
      const std::uint32_t document = below(4) == 0 ? below(1 + documents / 8) : below(documents);
      term.impacts[document] = static_cast<std::uint8_t>(1 + below(12) * 21);
    }
    PostingBuffer buffer;
    for (const auto& [document, impact] : term.impacts) {
      Positions& places = term.positions[document];
      for (std::uint32_t place = below(4); positioned && places.size() < 1 + below(3); place += 1 + below(3))
        places.push_back(place);
      buffer.add(document, impact, places);
    }
    term.list = MemoryPostingList(buffer);
    return term;
  }

  std::vector<Term> terms(std::uint32_t documents, std::uint32_t least, std::uint32_t most, bool positioned = false) {
    std::vector<Term> terms(least + below(most - least + 1));
    for (Term& term : terms) term = this->term(documents, positioned);
    return terms;
  }

 private:
  std::mt19937 random_;
};

std::uint32_t windows_of(std::uint32_t documents) { return (documents + kWindowDocuments - 1) / kWindowDocuments; }

/// Rarer terms have a higher weight.
std::vector<ScoredList> scored(const std::vector<Term>& terms) {
  std::vector<ScoredList> lists;
  for (const Term& term : terms) {
    const float idf = std::log(1 + 300'000 / static_cast<float>(term.list.list().documents()));
    lists.push_back({term.list.list(), idf / 255});
  }
  return lists;
}

float plain_score(const std::vector<Term>& terms, const std::vector<ScoredList>& lists, std::uint32_t document) {
  float score = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto found = terms[i].impacts.find(document);
    if (found != terms[i].impacts.end()) score += lists[i].weight * static_cast<float>(found->second);
  }
  return score;
}

std::vector<ScoredDocument> plain_best(const std::vector<Term>& terms, const std::vector<ScoredList>& lists,
                                       const std::set<std::uint32_t>& among, std::size_t most) {
  std::vector<ScoredDocument> all;
  for (const std::uint32_t document : among) {
    const float score = plain_score(terms, lists, document);
    if (score > 0) all.push_back({score, document});
  }
  std::sort(all.begin(), all.end(), [](const ScoredDocument& a, const ScoredDocument& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  });
  all.resize(std::min(all.size(), most));
  return all;
}

void expect_same(const std::vector<ScoredDocument>& got, const std::vector<ScoredDocument>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].document, wanted[i].document) << "rank " << i;
    EXPECT_EQ(got[i].score, wanted[i].score) << "rank " << i;
  }
}

std::set<std::uint32_t> documents_of(const std::vector<Term>& terms) {
  std::set<std::uint32_t> all;
  for (const Term& term : terms)
    for (const auto& [document, impact] : term.impacts) all.insert(document);
  return all;
}

std::set<std::uint32_t> listed(const WindowMatches& matches, std::uint32_t window) {
  std::set<std::uint32_t> documents;
  for (std::uint32_t document = 0; matches.is_set() && document < kWindowDocuments; ++document)
    if (matches.set().contains(static_cast<std::uint16_t>(document)))
      documents.insert(window * kWindowDocuments + document);
  for (const std::uint16_t document : matches.documents()) documents.insert(window * kWindowDocuments + document);
  return documents;
}

class Evaluation : public testing::TestWithParam<unsigned> {
 protected:
  RandomLists random{GetParam()};
  const std::uint32_t documents = 1 + random.below(GetParam() % 2 == 0 ? 3 * kWindowDocuments : 9'000);

  /// Checks phrases of one to three words, each with up to `most_terms` terms.
  void expect_phrases(std::uint32_t most_terms) {
    std::vector<std::vector<Term>> words(1 + random.below(3));
    std::vector<Disjunction> lists(words.size());
    std::vector<std::map<std::uint32_t, std::set<std::uint32_t>>> places(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = random.terms(1 + documents / 4, 1, most_terms, true);
      for (const Term& term : words[i]) {
        lists[i].push_back(term.list.list());
        for (const auto& [document, positions] : term.positions)
          places[i][document].insert(begin(positions), end(positions));
      }
    }
    std::set<std::uint32_t> wanted;
    for (const auto& [document, begins] : places.front())
      for (const std::uint32_t begin : begins) {
        bool stands = true;
        for (std::uint32_t i = 1; i < words.size(); ++i) {
          const auto found = places[i].find(document);
          stands = stands && found != places[i].end() && found->second.contains(begin + i);
        }
        if (stands) wanted.insert(document);
      }
    const MemoryPostingList found = PhraseFinder().find(lists, windows_of(documents));
    std::set<std::uint32_t> got;
    Matching all;
    all.any = {found.list()};
    Matcher matcher;
    for (std::uint32_t window = 0; window < windows_of(documents); ++window)
      got.merge(listed(matcher.match(all, window), window));
    EXPECT_EQ(got.size(), found.list().documents());
    EXPECT_EQ(got, wanted);
  }
};

TEST_P(Evaluation, RanksTheTopHitsOfAnyWord) {
  const auto terms = random.terms(documents, 1, 6);
  const auto lists = scored(terms);
  for (const std::size_t most : {1U, 20U, 1'000U}) {
    TopHits top(most);
    for (const ScoredList& each : lists)
      if (const std::uint8_t best = each.list.top_impact(static_cast<std::uint32_t>(most)); best > 0)
        top.set_min_score(each.weight * static_cast<float>(best));
    Ranker ranker;
    const std::set<std::uint32_t> all = documents_of(terms);
    for (std::uint32_t window = 0; window < windows_of(documents); ++window) {
      const auto begin = all.lower_bound(window * kWindowDocuments);
      const auto end = all.lower_bound((window + 1) * kWindowDocuments);
      const std::ptrdiff_t scored_all = std::distance(begin, end);
      EXPECT_EQ(ranker.rank(lists, window, top).value_or(scored_all), scored_all);
    }
    expect_same(top.take(), plain_best(terms, lists, all, most));
  }
}

TEST_P(Evaluation, RanksAWordWithAFormThatIsPartOfIt) {
  std::vector<Term> terms = random.terms(documents, 1, 1);
  std::map<std::uint32_t, std::uint8_t> form;
  for (const auto& [document, impact] : terms[0].impacts)
    if (random.below(3) == 0) form[document] = static_cast<std::uint8_t>(1 + random.below(impact));
  if (form.empty()) return;
  terms.push_back(term_of(form));
  auto lists = scored(terms);
  lists[1].weight = lists[0].weight / 5;
  TopHits top(20);
  if (const std::uint8_t least = lists[1].list.top_impact(20); least > 0)
    top.set_min_score(lists[1].weight * least + lists[0].weight * least);
  Ranker ranker;
  for (std::uint32_t window = 0; window < windows_of(documents); ++window) ranker.rank(lists, window, top);
  expect_same(top.take(), plain_best(terms, lists, documents_of(terms), 20));
}

TEST_P(Evaluation, MatchesRequiredAnyAndExcludedWords) {
  const auto required = random.terms(documents, 0, 3);
  const auto any = random.terms(documents, 0, 3);
  const auto excluded = random.terms(documents, 0, 2);
  std::vector<std::uint64_t> deleted(random.below(2) == 0 ? 0 : (documents + 63) / 64);
  for (std::size_t i = 0; i < deleted.size() * 5; ++i)
    deleted[random.below(static_cast<std::uint32_t>(deleted.size()))] |= std::uint64_t{1} << random.below(64);

  Matching matching;
  for (const Term& term : required) {
    if (!matching.required.empty() && random.below(3) == 0)
      matching.required.back().push_back(term.list.list());
    else
      matching.required.push_back({term.list.list()});
  }
  for (const Term& term : any) matching.any.push_back(term.list.list());
  for (const Term& term : excluded) matching.excluded.push_back(term.list.list());
  matching.deleted = deleted;

  std::set<std::uint32_t> wanted;
  const auto is_in = [](const Disjunction& lists, std::uint32_t document) {
    return std::any_of(lists.begin(), lists.end(), [&](const PostingList& list) {
      return list.window_numbered(document / kWindowDocuments).contains(static_cast<std::uint16_t>(document));
    });
  };
  for (std::uint32_t document = 0; document < documents; ++document) {
    const bool holds = std::all_of(matching.required.begin(), matching.required.end(),
                                   [&](const Disjunction& each) { return is_in(each, document); }) &&
                       (any.empty() ? !required.empty() : is_in(matching.any, document)) &&
                       !is_in(matching.excluded, document) &&
                       (deleted.empty() || (deleted[document / 64] >> (document % 64) & 1) == 0);
    if (holds) wanted.insert(document);
  }

  std::vector<Term> scoring = required.empty() ? std::vector<Term>() : random.terms(documents, 1, 3);
  const auto lists = scored(scoring);
  Matcher matcher;
  std::uint64_t total = 0;
  std::set<std::uint32_t> got;
  Ranker ranker;
  TopHits top(30);
  for (std::uint32_t window = 0; window < windows_of(documents); ++window) {
    const WindowMatches& matches = matcher.match(matching, window);
    total += matches.count();
    got.merge(listed(matches, window));
    if (!lists.empty()) ranker.rank_matches(lists, window, matches, top);
  }
  EXPECT_EQ(got, wanted);
  EXPECT_EQ(total, wanted.size());
  if (!lists.empty()) expect_same(top.take(), plain_best(scoring, lists, wanted, 30));
}

TEST_P(Evaluation, FindsPhrases) { expect_phrases(1); }

TEST_P(Evaluation, FindsPhrasesOfWordsWithManyTerms) { expect_phrases(24); }

INSTANTIATE_TEST_SUITE_P(Random, Evaluation, testing::Range(0U, 40U));

}  // namespace
}  // namespace kbase::native_index
