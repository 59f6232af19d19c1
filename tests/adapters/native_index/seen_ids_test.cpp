// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/seen_ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kbase::tests {
namespace {

TEST(SeenIds, KnowsEachIdThatItHasSeenAndTakesFewOthersForOne) {
  constexpr int kIds = 100'000;
  native_index::SeenIds ids;
  int mistaken = 0;
  for (int i = 0; i < kIds; ++i) mistaken += ids.insert("id-" + std::to_string(i)) ? 1 : 0;
  EXPECT_LT(mistaken, 10);  // two of 100,000 hashes of 32 bits are equal in the mean
  for (int i = 0; i < kIds; ++i) EXPECT_TRUE(ids.insert("id-" + std::to_string(i)));
}

}  // namespace
}  // namespace kbase::tests
