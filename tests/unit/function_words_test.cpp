// SPDX-License-Identifier: Apache-2.0
#include "domain/model/function_words.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kbase::model {
namespace {

/// The words of the query that must match, separated by spaces. Exclusions are left out.
std::string required(std::string_view q) {
  QueryNode root = *parse_query(q);
  mark_function_words(root);
  std::string words;
  for (const QueryNode& node : root.children)
    if (!node.is_optional && node.kind != QueryNode::Kind::Not) words += (words.empty() ? "" : " ") + node.text;
  return words;
}

TEST(FunctionWords, NeedNotMatch) {
  EXPECT_EQ(required("how do I roll back"), "roll back");
  EXPECT_EQ(required("What is the rate-limit?"), "rate-limit?");
  EXPECT_EQ(required("why doesn’t it start"), "start");
  EXPECT_EQ(required("backup shouldn't be stopped, it'll break"), "backup stopped, break");
  EXPECT_EQ(required("Wie kann ich das Passwort ändern"), "Passwort ändern");
  EXPECT_EQ(required("Как установить принтер"), "установить принтер");
  EXPECT_EQ(required("comment faire une sauvegarde"), "sauvegarde");
  EXPECT_EQ(required("¿cómo puedo restaurar una copia?"), "restaurar copia?");
}

TEST(FunctionWords, AreWordsAlone) {
  EXPECT_EQ(required("the who"), "the who");
  EXPECT_EQ(required("how to"), "how to");
  EXPECT_EQ(required("how to -install"), "how to");
}

TEST(FunctionWords, AreWordsInQuotesAndAlternatives) {
  EXPECT_EQ(required("\"how to\" install"), "how to install");
  EXPECT_EQ(required("the OR install"), "");
}

TEST(FunctionWords, OfALanguageNeedAnotherOneIfTheyAreContentWordsElsewhere) {
  EXPECT_EQ(required("car rental"), "car rental");
  EXPECT_EQ(required("man pages"), "man pages");
  EXPECT_EQ(required("was ist docker"), "docker");
}

TEST(FunctionWords, AreNotAbbreviationsInCapitals) {
  EXPECT_EQ(required("IT support"), "IT support");
  EXPECT_EQ(required("it support"), "support");
  EXPECT_EQ(required("WHAT IS DOCKER"), "DOCKER");
}

TEST(FunctionWords, AreNoNegations) { EXPECT_EQ(required("role does not exist"), "role not exist"); }

}  // namespace
}  // namespace kbase::model
