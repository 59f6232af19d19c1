// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/search_items.hpp"

#include <gtest/gtest.h>

namespace kbase::tests {
namespace {

using usecases::corrected_query;

std::string corrected(std::string_view q, std::vector<ports::Correction> corrections) {
  return corrected_query(q, corrections);
}

TEST(CorrectedQuery, ReplacesTheMisspelledWord) {
  EXPECT_EQ(corrected("redis cahce -cluster", {{"cahce", "cache"}}), "redis cache -cluster");
  EXPECT_EQ(corrected("Cahce OR \"a cahce\"", {{"cahce", "cache"}}), "cache OR \"a cache\"");
  EXPECT_EQ(corrected("rediss cahce", {{"rediss", "redis"}, {"cahce", "cache"}}), "redis cache");
}

TEST(CorrectedQuery, ReplacesItNextToMarksAndCharactersOfOtherScripts) {
  EXPECT_EQ(corrected("¿cahce redis？", {{"cahce", "cache"}}), "¿cache redis？");
  EXPECT_EQ(corrected("中文cahce…", {{"cahce", "cache"}}), "中文cache…");
}

TEST(CorrectedQuery, DoesNotChangeLongerWords) {
  EXPECT_EQ(corrected("cahces cahce xcahce", {{"cahce", "cache"}}), "cahces cache xcahce");
  EXPECT_EQ(corrected("cahceé cahce", {{"cahce", "cache"}}), "cahceé cache");
}

TEST(CorrectedQuery, IsEmptyIfNothingWasCorrectedOrAWordIsNotFound) {
  EXPECT_EQ(corrected("cache", {}), "");
  EXPECT_EQ(corrected("Grüsse", {{"grusse", "gruesse"}}), "") << "the index returns words without accents";
  EXPECT_EQ(corrected("cahce Grüsse", {{"cahce", "cache"}, {"grusse", "gruesse"}}), "");
}

TEST(CorrectedQuery, DoesNotCorrectItsOwnReplacements) {
  EXPECT_EQ(corrected("ab ab", {{"ab", "ab ab"}}), "ab ab ab ab");
}

}  // namespace
}  // namespace kbase::tests
