// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/snapshot.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace kbase::native_index {
namespace {

using Views = std::vector<std::uint64_t>;

/// Many documents have few views; few have many.
Views random_views(std::size_t documents, unsigned seed) {
  std::mt19937 random(seed);
  Views views(documents);
  for (std::uint64_t& each : views) each = 1'000'000 / (1 + random() % 1'000'000);
  return views;
}

TEST(ViewCounts, EachTierContainsAllDocumentsWithThatManyViews) {
  for (const std::size_t documents : {1U, 300U, 70'000U}) {
    const Views views = random_views(documents, 5);
    const ViewCounts counts(views);
    for (const ViewCounts::Tier& tier : counts.tiers())
      for (std::uint32_t document = 0; document < documents; ++document)
        ASSERT_EQ(tier.documents.contains(document), views[document] >= tier.min_views) << "of " << documents;
  }
}

TEST(ViewCounts, TheFirstTierContainsOnlyTheMostViewed) {
  const ViewCounts counts(random_views(70'000, 6));
  ASSERT_FALSE(counts.tiers().empty());
  EXPECT_LT(counts.tiers().front().documents.size(), 70'000U / 100);
  EXPECT_GT(counts.tiers().front().documents.size(), 70'000U / 1'000);
  for (std::size_t i = 1; i < counts.tiers().size(); ++i)
    EXPECT_LT(counts.tiers()[i].min_views, counts.tiers()[i - 1].min_views);
}

TEST(ViewCounts, ThereIsNoTierWithoutViews) {
  EXPECT_TRUE(ViewCounts(Views(10'000, 0)).tiers().empty());
  EXPECT_TRUE(ViewCounts(Views()).tiers().empty());
}

TEST(ViewCounts, SumsSaturate) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(add_views(40, 2), 42U);
  EXPECT_EQ(add_views(kMost - 1, 1), kMost);
  EXPECT_EQ(add_views(kMost, kMost), kMost);
}

}  // namespace
}  // namespace kbase::native_index
