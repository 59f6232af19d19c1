// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "domain/usecases/stored_synonyms.hpp"
#include "tests/unit/import_fixture.hpp"

namespace kbase::tests {
namespace {

class ImportSynonyms : public ImportFixture {
 protected:
  /// Every rule as "from>word,word(source)".
  std::string stored() {
    std::string text;
    const std::vector<model::Synonyms> all = usecases::read_synonyms(call_, items_).value();
    for (const model::Synonyms& each : all) {
      text.append(text.empty() ? "" : " ").append(each.from).append(">");
      for (const std::string& word : each.words) text.append(word).append(",");
      text.append("(").append(each.source).append(")");
    }
    return text;
  }

  static ports::ImportOptions pruning(std::string source) {
    ports::ImportOptions options;
    options.prune = true;
    options.source = std::move(source);
    return options;
  }
};

TEST_F(ImportSynonyms, AddsThemWithTheirSource) {
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"k8s", "kubernetes"}},
                                SynonymsLine{"laptop", {"notebook"}, "another"}, ItemLine{.id = "a"}})));
  EXPECT_EQ(stored(), ">k8s,kubernetes,(file) laptop>notebook,(another)");
  EXPECT_EQ(report_.synonyms, 2u);
  EXPECT_EQ(report_.added, 1u);
}

TEST_F(ImportSynonyms, ChangesNothingIfTheyAreTheSame) {
  const Lines lines{SynonymsLine{{}, {"k8s", "kubernetes"}}};
  ASSERT_TRUE(succeeded(import(lines)));
  const model::Revision before = revision();
  ASSERT_TRUE(succeeded(import(lines)));
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(report_.synonyms, 0u);
}

TEST_F(ImportSynonyms, ReplacesAndRemovesByTheFirstWord) {
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"k8s", "kubernetes"}}, SynonymsLine{"laptop", {"notebook"}}})));
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"k8s", "kube"}}, SynonymsLine{"laptop", {}}})));
  EXPECT_EQ(stored(), ">k8s,kube,(file)");
  EXPECT_EQ(report_.synonyms, 2u);
}

TEST_F(ImportSynonyms, ReportsThoseThatOneSourceHasTwice) {
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"a", "b"}}, SynonymsLine{{}, {"a", "c"}}})));
  EXPECT_EQ(events_.duplicates, std::vector<std::string>{"file:2 a"});
  EXPECT_EQ(stored(), ">a,c,(file)");
}

TEST_F(ImportSynonyms, PrunesThoseOfItsSourceThatAreGone) {
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"a", "b"}}, SynonymsLine{{}, {"c", "d"}}}, pruning("docs"))));
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"e", "f"}}}, pruning("faq"))));
  EXPECT_EQ(stored(), ">a,b,(docs) >c,d,(docs) >e,f,(faq)");
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"c", "d"}}}, pruning("docs"))));
  EXPECT_EQ(stored(), ">c,d,(docs) >e,f,(faq)");
  EXPECT_EQ(report_.synonyms, 1u);
}

TEST_F(ImportSynonyms, RejectsThoseOfAnotherSource) {
  ports::ImportOptions options;
  options.source = "docs";
  ASSERT_TRUE(succeeded(
      import({SynonymsLine{{}, {"k8s", "kubernetes"}}, SynonymsLine{"pc", {"computer"}}, SynonymsLine{"tv", {"set"}}},
             options)));
  options.source = "faq";
  options.on_error = ports::OnError::Skip;
  ASSERT_TRUE(succeeded(
      import({SynonymsLine{{}, {"k8s", "kube"}}, SynonymsLine{"pc", {"machine"}}, SynonymsLine{"tv", {}}}, options)));
  EXPECT_EQ(events_.rejects, (std::vector<std::string>{
                                 "file:1 the synonyms of 'k8s' belong to the source 'docs', and this is the source "
                                 "'faq'; put another of the words first, or replace them with --take-over <>",
                                 "file:2 the synonyms of 'pc' belong to the source 'docs', and this is the source "
                                 "'faq'; replace them with --take-over <>"}));
  EXPECT_EQ(stored(), ">k8s,kubernetes,(docs) pc>computer,(docs)") << "a removal needs no --take-over";
  options.take_over = true;
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"k8s", "kube"}}}, options)));
  EXPECT_EQ(stored(), ">k8s,kube,(faq) pc>computer,(docs)");
}

TEST_F(ImportSynonyms, EndAnExportThatReadsOthersThanItsItems) {
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"a", "b"}}})));
  const auto read = usecases::read_synonyms(call_, items_).value();
  EXPECT_TRUE(succeeded(usecases::check_synonyms(call_, items_, read)));
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"a", "c"}}})));
  EXPECT_TRUE(failed(usecases::check_synonyms(call_, items_, read), ErrorCode::Conflict));
}

TEST_F(ImportSynonyms, StoresNoneInADryRun) {
  ports::ImportOptions options;
  options.dry_run = true;
  ASSERT_TRUE(succeeded(import({SynonymsLine{{}, {"a", "b"}}}, options)));
  EXPECT_EQ(stored(), "");
  EXPECT_EQ(report_.synonyms, 1u);
}

TEST_F(ImportSynonyms, KeepsAtMostTenThousand) {
  Lines lines;
  for (std::size_t i = 0; i <= model::kMaxSynonymsOfBase; ++i)
    lines.push_back(SynonymsLine{{}, {"word" + std::to_string(i), "other"}});
  ports::ImportOptions options;
  options.on_error = ports::OnError::Skip;
  ASSERT_TRUE(succeeded(import(std::move(lines), options)));
  EXPECT_EQ(report_.synonyms, model::kMaxSynonymsOfBase);
  EXPECT_EQ(report_.rejected, 1u);
}

}  // namespace
}  // namespace kbase::tests
