// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "domain/usecases/search_items.hpp"
#include "tests/support/fixed_synonyms.hpp"
#include "tests/support/mocks/driven/item_store.hpp"
#include "tests/unit/indexed_items.hpp"

namespace kbase::tests {
namespace {

/// Searches an index in memory. A result is its ids, the match rule and what was relaxed.
class RelaxedQuery : public testing::Test {
 protected:
  std::string search(std::string_view q, const ports::SearchFilter& filter = {},
                     model::FallbackBelow fallback_below = model::kDefaultFallbackBelow) {
    ports::SearchQuery query;
    query.q = q;
    query.filter = filter;
    query.fallback_below = fallback_below;
    MockItemStore items;
    usecases::SearchItems search(index_, items, synonyms_);
    ports::Call call;
    std::string text;
    const auto page = search.search(call, query, [&](const ports::SearchHit& hit) {
      text.append(hit.id).append(" ");
      return Visit::Continue;
    });
    if (!page) return page.error().message;
    text += page->rule == model::MatchRule::AllWords ? "all" : "any";
    if (page->relaxed.length) text += " length";
    if (page->relaxed.phrase) text += " phrase";
    if (page->relaxed.exclusion) text += " exclusion";
    for (const model::AddedSynonym& added : page->synonyms) text += ' ' + added.word + '=' + added.synonym;
    return text;
  }

  memory_index::MemorySearchIndex index_;
  FixedSynonyms synonyms_;
};

TEST_F(RelaxedQuery, TakesQuotesAsWordsIfNothingMatches) {
  index(index_, {{"pg", "Roles", "FATAL: role does not exist"}, {"b", "Other", "text"}});
  EXPECT_EQ(search("FATAL: role \"alice\" does not exist"), "pg any phrase");
  EXPECT_EQ(search("role \"does not exist\""), "pg all");
  EXPECT_EQ(search("\"exist not\" role"), "pg all phrase");
}

TEST_F(RelaxedQuery, AddsSynonymsOfWordsThatAreSearched) {
  index(index_, {{"a", "One", "the kubernetes server"}, {"b", "Two", "the k8s server"}});
  synonyms_ = FixedSynonyms({synonyms({"k8s", "kubernetes"})});
  EXPECT_EQ(search("K8S server"), "b a all K8S=kubernetes");
  EXPECT_EQ(search("\"k8s server\""), "b all") << "a phrase is meant as it is";
  EXPECT_EQ(search("server -k8s"), "a all");
  EXPECT_EQ(search("the \"k8s kubernetes\" server"), "a b all phrase k8s=kubernetes kubernetes=k8s");
}

TEST_F(RelaxedQuery, KeepsWhatIsMeantAsItIs) {
  index(index_, {{"a", "One", "server cache"}});
  EXPECT_EQ(search("\"cache server\""), "all");
  EXPECT_EQ(search("cache -server"), "all");
}

TEST_F(RelaxedQuery, DropsExclusionsAfterThat) {
  index(index_, {{"a", "One", "cache server"}});
  EXPECT_EQ(search("one cache -server"), "a all exclusion");
  EXPECT_EQ(search("one \"server cache\" -server"), "a all phrase exclusion");
  EXPECT_EQ(search("-server"), "all");
}

TEST_F(RelaxedQuery, IsUnchangedIfNothingMatchesEvenSo) {
  index(index_, {{"a", "One", "cache"}});
  EXPECT_EQ(search("\"unknown words\" -other"), "all");
}

TEST_F(RelaxedQuery, DependsOnTheWholeBaseAndNotOnAFilter) {
  index(index_, {{"a", "One", "cache server"}});
  EXPECT_EQ(search("one \"cache server\"", {.category = "nowhere"}), "all");
  EXPECT_EQ(search("one \"server cache\"", {.category = "nowhere"}), "all phrase");
}

TEST_F(RelaxedQuery, IsUnchangedIfTheRuleIsGiven) {
  index(index_, {{"a", "One", "server cache"}});
  EXPECT_EQ(search("one \"cache server\"", {}, model::kAlwaysAllWords), "all");
  EXPECT_EQ(search("one \"cache server\"", {}, model::kAlwaysAnyWord), "all");
}

TEST_F(RelaxedQuery, KeepsOptionsThatTheBaseHas) {
  index(index_, {{"tar", "Unpack", "tar -xzf archive.tar.gz"}, {"b", "Other", "tar and xzf and xyz"}});
  EXPECT_EQ(search("tar -xzf", {}, model::kAlwaysAllWords), "tar b all");
  EXPECT_EQ(search("tar -xyz", {}, model::kAlwaysAllWords), "tar all");
}

TEST_F(RelaxedQuery, DoesNotRequireFunctionWords) {
  std::vector<Written> items;
  const std::string ids = "abcdefghijkl";
  for (const char& id : ids) items.push_back({std::string_view(&id, 1), "Page", "roll back a release"});
  items.push_back({"z", "How", "how do I"});
  index(index_, items);
  EXPECT_EQ(search("how do I roll back"), "a b c d e f g h i j k l all");
  EXPECT_EQ(search("how do I roll back", {}, model::kAlwaysAllWords), "all");
}

TEST_F(RelaxedQuery, KeepsTheWordsNextToManyExclusions) {
  index(index_, {{"a", "One", "needle"}, {"b", "Two", "needle unknown3"}, {"c", "Three", "common"}});
  std::string q = "needle";
  for (int i = 0; i < 70; ++i) q += " -unknown" + std::to_string(i);
  EXPECT_EQ(search(q), "a all length");
}

TEST_F(RelaxedQuery, CountsTheRarestWordsOfALongPhrase) {
  index(index_, {{"a", "One", "needle"}, {"b", "Two", "common"}});
  std::string phrase = "common";
  for (int i = 0; i < 100; ++i) phrase += " unknown" + std::to_string(i);
  EXPECT_EQ(search("needle \"" + phrase + '"'), "a b any length phrase");
}

TEST_F(RelaxedQuery, CountsTheRarestOfManyWords) {
  index(index_, {{"a", "One", "needle"}, {"b", "Two", "common"}, {"c", "Three", "common"}});
  std::string q = "needle";
  for (int i = 0; i < 70; ++i) q += " unknown" + std::to_string(i);
  EXPECT_EQ(search(q + " common common common"), "a b c any length");
  std::string long_q = "needle";
  for (int i = 0; i < 255; ++i) long_q += " u" + std::to_string(i);
  EXPECT_EQ(search(long_q + " common"), "a any length") << "the first 256 words are counted";
  std::string known;
  for (int i = 0; i < 63; ++i) known += "w" + std::to_string(i) + " ";
  EXPECT_EQ(search("needle " + known), "a any") << "64 different words";
}

}  // namespace
}  // namespace kbase::tests
