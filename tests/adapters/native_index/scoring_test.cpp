// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/scoring.hpp"

#include <gtest/gtest.h>

namespace kbase::tests {
namespace {

using namespace native_index;  // NOLINT: all that is tested

TEST(Impact, IsHalfForAWordThatOccursOnceIn25Words) {
  EXPECT_EQ(impact(token_frequency(Field::Content, 6, false, false), saturation(25)), 128);
}

TEST(Impact, RisesWithTheFrequencyAndFallsWithTheLength) {
  std::uint8_t last = 0;
  for (std::uint32_t words = 1; words < 16; ++words) {
    const std::uint8_t now = impact(words * kWordFrequency, saturation(400));
    EXPECT_GT(now, last) << words;
    last = now;
  }
  EXPECT_GT(impact(kWordFrequency, saturation(100)), impact(kWordFrequency, saturation(200)));
}

TEST(Impact, IsAByteAboveZero) {
  EXPECT_EQ(impact(1, saturation(1e9F)), 1);
  EXPECT_EQ(impact(1'000'000'000, saturation(0)), 255);
}

TEST(TokenFrequency, IsThatOfTheField) {
  EXPECT_EQ(token_frequency(Field::Content, 6, false, false), kWordFrequency);
  EXPECT_EQ(token_frequency(Field::Tags, 6, false, false), 2 * kWordFrequency);
  EXPECT_EQ(token_frequency(Field::Title, 6, false, false), 6 * kWordFrequency);
}

TEST(TokenFrequency, IsLessForAPartOfAWordAndMoreForAPairOfCharacters) {
  EXPECT_EQ(token_frequency(Field::Title, 6, true, false), 3 * kWordFrequency);
  EXPECT_EQ(token_frequency(Field::Title, 6, false, true), 9 * kWordFrequency);
}

TEST(TitleWeight, FallsWithTheLengthOfTheTitleToThatOfTheContent) {
  EXPECT_GT(text::title_weight(1), text::title_weight(8));
  EXPECT_EQ(text::title_weight(8), static_cast<float>(text::kTitleWeight));
  EXPECT_EQ(text::title_weight(1000), 1.0F);
}

}  // namespace
}  // namespace kbase::tests
