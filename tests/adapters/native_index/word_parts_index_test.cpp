// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/word_parts_index.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/adapters/native_index/segment_fixtures.hpp"

namespace kbase::tests {
namespace {

std::set<std::string> words_with(const native_index::Segment& segment, std::string_view part) {
  std::set<std::string> words;
  segment.word_parts().visit(part, [&](std::string_view word) { words.emplace(word); });
  return words;
}

TEST(WordPartsIndex, FindsLongWordsByAPart) {
  const auto segment = build_segment({{"a", 1, "Running homes", "They run household lighthouses and an outhouse"},
                                      {"b", 2, "Housekeeping", "greenhouse hous housework42 category"}});
  EXPECT_EQ(words_with(*segment, "hous"),
            (std::set<std::string>{"greenhouse", "household", "housekeeping", "lighthouses", "outhouse"}));
  EXPECT_EQ(words_with(*segment, "househ"), (std::set<std::string>{"household"}));
  EXPECT_EQ(words_with(*segment, "running"), (std::set<std::string>{"running"}));
  EXPECT_EQ(words_with(*segment, "missing"), std::set<std::string>());
}

TEST(WordPartsIndex, FindsNothingByAShortPart) {
  const auto segment = build_segment({{"a", 1, "Running", "household"}});
  EXPECT_EQ(words_with(*segment, "hou"), std::set<std::string>());
  EXPECT_EQ(words_with(*segment, ""), std::set<std::string>());
}

}  // namespace
}  // namespace kbase::tests
