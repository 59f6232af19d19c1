// SPDX-License-Identifier: Apache-2.0
#include "domain/model/synonyms.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "domain/usecases/stored_synonyms.hpp"
#include "tests/support/fixed_synonyms.hpp"

namespace kbase::tests {
namespace {

using model::QueryNode;

std::string text_of(const QueryNode& node) {
  std::string text = node.kind == QueryNode::Kind::Phrase ? '"' + node.text + '"' : node.text;
  if (node.kind != QueryNode::Kind::Word || node.children.empty()) return text;
  text += '{';
  for (std::size_t i = 0; i < node.children.size(); ++i)
    text.append(i == 0 ? "" : " ").append(text_of(node.children[i]));
  return text + '}';
}

/// Returns the words of the query with their synonyms in braces, and after ":" what was added.
std::string extended(std::string_view q, const std::vector<model::Synonyms>& all) {
  QueryNode root = model::parse_query(q).value();
  const auto added = FixedSynonyms(all).current()->add_to(root);
  std::string text;
  for (const QueryNode& node : root.children) text.append(text.empty() ? "" : " ").append(text_of(node));
  text += ':';
  for (const model::AddedSynonym& each : added) text.append(" ").append(each.word).append("=").append(each.synonym);
  return text;
}

TEST(Synonyms, OfOneGroupFindEachOther) {
  const std::vector all{synonyms({"k8s", "kubernetes", "kube"})};
  EXPECT_EQ(extended("k8s pod", all), "k8s{kubernetes kube} pod: k8s=kubernetes k8s=kube");
  EXPECT_EQ(extended("a Kube?", all), "a Kube?{k8s kubernetes}: Kube?=k8s Kube?=kubernetes");
  EXPECT_EQ(extended("pod", all), "pod:");
}

TEST(Synonyms, OfOneWordAreNotFoundTheOtherWayRound) {
  const std::vector all{synonyms_of("laptop", {"notebook"})};
  EXPECT_EQ(extended("laptop", all), "laptop{notebook}: laptop=notebook");
  EXPECT_EQ(extended("notebook", all), "notebook:");
}

TEST(Synonyms, MayBeSeveralWords) {
  const std::vector all{synonyms({"vm", "virtual machine"}), synonyms({"front-end", "frontend"})};
  EXPECT_EQ(extended("vm host", all), "vm{\"virtual machine\"} host: vm=virtual machine");
  EXPECT_EQ(extended("my virtual machine", all), "my virtual{vm} machine{vm}: virtual machine=vm");
  EXPECT_EQ(extended("machine virtual", all), "machine virtual:");
  EXPECT_EQ(extended("front end", all), "front{frontend} end{frontend}: front end=frontend");
  EXPECT_EQ(extended("front-end", all), "front-end{frontend}: front-end=frontend");
}

TEST(Synonyms, OfTheLongestTextAreAdded) {
  const std::vector all{synonyms_of("machine", {"engine"}), synonyms_of("machine learning", {"ml"})};
  EXPECT_EQ(extended("machine learning", all), "machine{ml} learning{ml}: machine learning=ml");
  EXPECT_EQ(extended("learning machine", all), "learning machine{engine}: machine=engine");
}

TEST(Synonyms, AreFoundByRegularPlurals) {
  const std::vector all{synonyms_of("laptop", {"notebook"}), synonyms_of("buttons", {"keys"}),
                        synonyms_of("class", {"type"})};
  EXPECT_EQ(extended("laptops button", all), "laptops{notebook} button{keys}: laptops=notebook button=keys");
  EXPECT_EQ(extended("clas", all), "clas:");
}

TEST(Synonyms, AreNotAddedToPhrasesAlternativesAndExclusions) {
  const std::vector all{synonyms({"k8s", "kubernetes"})};
  EXPECT_EQ(extended("\"k8s\" pod", all), "\"k8s\" pod:");
  QueryNode root = model::parse_query("a OR k8s b -k8s k8s*").value();
  EXPECT_TRUE(FixedSynonyms(all).current()->add_to(root).empty());
}

TEST(Synonyms, AreNotAddedToOptionalWordsAlone) {
  const std::vector all{synonyms({"it", "computers"}), synonyms({"point of sale", "pos"})};
  QueryNode root = model::parse_query("it point of sale").value();
  root.children[0].is_optional = root.children[2].is_optional = true;
  const auto added = FixedSynonyms(all).current()->add_to(root);
  EXPECT_EQ(added, (std::vector<model::AddedSynonym>{{"point of sale", "pos"}}));
  EXPECT_EQ(text_of(root.children[1]), "point{pos}");
  EXPECT_EQ(text_of(root.children[2]), "of");
}

TEST(Synonyms, OfAWordInManyLinesAreTheFirstOnes) {
  std::vector<model::Synonyms> all;
  for (int i = 0; i < 1'000; ++i) all.push_back(synonyms({"line" + std::to_string(i), "word"}));
  QueryNode root = model::parse_query("word line999").value();
  EXPECT_EQ(FixedSynonyms(all).current()->add_to(root).size(), model::SynonymTable::kMaxPerWord + 1);
  EXPECT_EQ(text_of(root.children[1]), "line999{word}");
}

TEST(Synonyms, AreBoundedForAWordAndAQuery) {
  std::vector<std::string> words;
  for (char c = 'a'; c <= 'z'; ++c) words.push_back(std::string("word") + c);
  const FixedSynonyms source({synonyms(words)});
  QueryNode root = model::parse_query("worda wordb wordc wordd").value();
  EXPECT_EQ(source.current()->add_to(root).size(), model::SynonymTable::kMaxPerQuery);
  EXPECT_EQ(root.children[0].children.size(), model::SynonymTable::kMaxPerWord);
}

TEST(Synonyms, HaveADigestOfTheirContent) {
  const auto digest = [](const std::vector<model::Synonyms>& all) { return FixedSynonyms(all).current()->digest(); };
  EXPECT_EQ(digest({}), 0u);
  EXPECT_EQ(FixedSynonyms().current()->digest(), 0u);
  EXPECT_EQ(digest({synonyms({"a", "b"})}), digest({synonyms({"a", "b"})}));
  EXPECT_NE(digest({synonyms({"a", "b"})}), digest({synonyms({"ab"})}));
  EXPECT_NE(digest({synonyms({"a", "b"})}), digest({synonyms_of("a", {"b"})}));
  EXPECT_NE(digest({synonyms({"a", "b"}), synonyms({"c"})}), digest({synonyms({"a", "b", "c"})}));
}

TEST(StoredSynonyms, AreReplacedByTheirKey) {
  usecases::SynonymChanges changes(std::vector{synonyms({"a", "b"})});
  EXPECT_TRUE(changes.put(synonyms({"a", "b"})));
  EXPECT_EQ(changes.count(), 0u);
  EXPECT_TRUE(changes.put(synonyms_of("a", {"c"})));
  EXPECT_TRUE(changes.put(synonyms({"a", "d"})));
  EXPECT_EQ(changes.all(), (std::vector{synonyms({"a", "d"}), synonyms_of("a", {"c"})}));
  EXPECT_EQ(changes.count(), 2u);
  EXPECT_TRUE(changes.put(synonyms({"a", "b"})));
  EXPECT_EQ(changes.count(), 1u) << "they are as they were";
}

TEST(StoredSynonyms, AreRemovedByTheirKeyAlone) {
  usecases::SynonymChanges changes(std::vector{synonyms({"a", "b"}), synonyms_of("a", {"c"})});
  EXPECT_TRUE(changes.put(synonyms({"a"})));
  EXPECT_EQ(changes.find(synonyms({"a"}).key()), nullptr);
  EXPECT_TRUE(changes.put(synonyms({"a"})));
  EXPECT_EQ(changes.all(), std::vector{synonyms_of("a", {"c"})});
  EXPECT_TRUE(changes.put(synonyms_of("a", {})));
  EXPECT_TRUE(changes.all().empty());
  EXPECT_EQ(changes.count(), 2u);
}

}  // namespace
}  // namespace kbase::tests
