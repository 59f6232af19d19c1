// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/merge_policy.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace kbase::tests {
namespace {

using native_index::choose_merge;
using native_index::SegmentSize;
using Places = std::vector<std::size_t>;

TEST(MergePolicy, DoesNotMergeFewSegments) {
  EXPECT_EQ(choose_merge({}), Places());
  const SegmentSize three[] = {{1}, {200}, {30}};
  EXPECT_EQ(choose_merge(three), Places());
}

TEST(MergePolicy, MergesSegmentsOfTheSameSize) {
  const SegmentSize segments[] = {{100'000}, {10}, {300}, {1}, {200}, {5}};
  EXPECT_EQ(choose_merge(segments), (Places{1, 3, 4, 5}));
}

TEST(MergePolicy, MergesALargeSegmentOnlyWithLargeOnes) {
  const SegmentSize segments[] = {{250'000}, {60'000}, {15'000}, {4'000}, {250}};
  EXPECT_EQ(choose_merge(segments), Places());
}

TEST(MergePolicy, MergesAllOnceTheLargestHasLessThanThreeQuartersOfTheDocuments) {
  const SegmentSize segments[] = {{250'000}, {60'000}, {15'000}, {4'000}, {250}, {4'100}};
  EXPECT_EQ(choose_merge(segments), (Places{0, 1, 2, 3, 4, 5}));
}

TEST(MergePolicy, MergesTiersAloneIfAllCannotBeMerged) {
  const SegmentSize segments[] = {{250'000}, {100'000}, {1'000}, {1'001}, {1'002}, {1'003}};
  EXPECT_EQ(choose_merge(segments).size(), 6U);
  EXPECT_EQ(choose_merge(segments, false), (Places{2, 3, 4, 5}));
}

TEST(MergePolicy, DoesNotMergeALargeSegmentWithFewDocumentsOfAnother) {
  const SegmentSize segments[] = {{700}, {200}};
  EXPECT_EQ(choose_merge(segments), Places());
}

TEST(MergePolicy, RewritesASegmentWithAQuarterDeleted) {
  const SegmentSize segments[] = {{1'000, 300}, {100'000, 40'000}};
  EXPECT_EQ(choose_merge(segments), Places{1});
}

TEST(MergePolicy, KeepsFewSegmentsWhileAnIndexGrowsItemByItem) {
  std::vector<SegmentSize> segments;
  std::uint64_t copied = 0;
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    segments.push_back({1});
    for (Places places = choose_merge(segments); !places.empty(); places = choose_merge(segments)) {
      SegmentSize merged;
      for (auto place = places.rbegin(); place != places.rend(); ++place) {
        merged.documents += segments[*place].documents;
        segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(*place));
      }
      copied += merged.documents;
      segments.push_back(merged);
    }
    most = std::max(most, segments.size());
  }
  EXPECT_LT(most, 20U);
  EXPECT_LT(copied / 20'000, 100U);
}

}  // namespace
}  // namespace kbase::tests
