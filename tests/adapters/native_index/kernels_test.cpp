// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace kbase::native_index {
namespace {

using Array = std::vector<std::uint16_t>;
using Bytes = std::vector<std::uint8_t>;

/// Compares the kernels of one instruction set with std::set and plain loops. Vectors have the exact size, so that a
/// sanitizer detects accesses out of bounds.
class KernelsTest : public testing::TestWithParam<const Kernels*> {
 protected:
  const Kernels& kernels_ = *GetParam();
  std::mt19937 random_{20};

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  /// Returns `size` random documents below `bound` (Knuth, volume 2, algorithm 3.4.2 S).
  Array random_array(std::size_t size, std::uint32_t bound = kWindowDocuments) {
    Array array;
    for (std::uint32_t document = 0; array.size() < size; ++document)
      if (below(bound - document) < size - array.size()) array.push_back(static_cast<std::uint16_t>(document));
    return array;
  }

  WindowSet random_set(std::size_t size) {
    WindowSet set;
    for (const std::uint16_t document : random_array(size)) set.insert(document);
    return set;
  }

  Bytes random_bytes(std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(below(256));
    return bytes;
  }

  Array common(const Array& rare, const Array& frequent) {
    Array out(rare.size());
    out.resize(kernels_.intersect_arrays(rare.data(), rare.size(), frequent.data(), frequent.size(), out.data()));
    return out;
  }
};

Array members_of(const WindowSet& set) {
  Array members;
  for (std::uint32_t document = 0; document < kWindowDocuments; ++document)
    if (set.contains(static_cast<std::uint16_t>(document))) members.push_back(static_cast<std::uint16_t>(document));
  return members;
}

Array intersection_of(const Array& one, const Array& other) {
  Array common;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(common));
  return common;
}

constexpr std::size_t kSizes[] = {0, 1, 2, 63, 1'000, 5'000, 40'000};

TEST_P(KernelsTest, CombineSets) {
  for (const std::size_t size : kSizes) {
    const WindowSet one = random_set(size);
    const WindowSet other = random_set(9'000);
    WindowSet combined = one;
    WindowSet intersected = one;
    WindowSet subtracted = one;
    kernels_.unite(combined.words.data(), other.words.data());
    kernels_.intersect(intersected.words.data(), other.words.data());
    kernels_.subtract(subtracted.words.data(), other.words.data());
    for (std::size_t i = 0; i < kWindowWords; ++i) {
      ASSERT_EQ(combined.words[i], one.words[i] | other.words[i]);
      ASSERT_EQ(intersected.words[i], one.words[i] & other.words[i]);
      ASSERT_EQ(subtracted.words[i], one.words[i] & ~other.words[i]);
    }
    EXPECT_EQ(kernels_.count(one.words.data()), size);
    EXPECT_EQ(kernels_.count_common(one.words.data(), other.words.data()), members_of(intersected).size());
  }
}

TEST_P(KernelsTest, CountAFullSet) {
  WindowSet full;
  full.words.fill(~std::uint64_t{0});
  EXPECT_EQ(kernels_.count(full.words.data()), kWindowDocuments);
  EXPECT_EQ(kernels_.count_common(full.words.data(), full.words.data()), kWindowDocuments);
}

TEST_P(KernelsTest, AddArraysToSets) {
  for (const std::size_t size : kSizes) {
    const Array array = random_array(size);
    WindowSet set;
    kernels_.insert(set.words.data(), array.data(), array.size());
    EXPECT_EQ(members_of(set), array);
  }
}

TEST_P(KernelsTest, TestArraysAgainstSets) {
  for (const std::size_t size : kSizes) {
    Array array = random_array(size);
    const WindowSet set = random_set(20'000);
    const Array expected = intersection_of(array, members_of(set));
    EXPECT_EQ(kernels_.count_in(set.words.data(), array.data(), array.size()), expected.size());
    array.resize(kernels_.filter(set.words.data(), array.data(), array.size(), array.data()));
    EXPECT_EQ(array, expected);
  }
}

TEST_P(KernelsTest, FindNumbersAboveALimit) {
  std::array<float, 64> numbers{};
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>(below(5));
    expected |= std::uint64_t{numbers[i] > 2} << i;
  }
  EXPECT_EQ(kernels_.mask_above(numbers.data(), 2), expected);
}

TEST_P(KernelsTest, SelectMembersByTheirRanks) {
  for (const std::size_t size : {1U, 2U, 63U, 1'000U, 40'000U, kWindowDocuments}) {
    const WindowSet set = random_set(size);
    const Array members = members_of(set);
    Array selected = random_array(std::min<std::size_t>(size, 50), static_cast<std::uint32_t>(size));
    Array expected;
    for (const std::uint16_t rank : selected) expected.push_back(members[rank]);
    kernels_.select(set.words.data(), kWindowWords, 0, selected.data(), selected.size(), selected.data());
    EXPECT_EQ(selected, expected);
  }
}

TEST_P(KernelsTest, IntersectArraysOfAllLengths) {
  for (const std::uint32_t bound : {100U, 5'000U, kWindowDocuments})
    for (int round = 0; round < 150; ++round) {
      const Array rare = random_array(below(bound / 10 + 1), bound);
      const Array frequent = random_array(rare.size() + below(bound / 2 - bound / 10), bound);
      ASSERT_EQ(common(rare, frequent), intersection_of(rare, frequent));
    }
}

TEST_P(KernelsTest, IntersectAFewDocumentsWithMany) {
  const Array frequent = random_array(30'000);
  for (std::size_t size = 0; size < 200; ++size) {
    const Array rare = random_array(size);
    ASSERT_EQ(common(rare, frequent), intersection_of(rare, frequent));
  }
}

TEST_P(KernelsTest, IntersectIntoTheShorterArray) {
  for (const std::size_t size : {10U, 500U, 4'000U}) {
    Array rare = random_array(size);
    const Array frequent = random_array(8'000);
    const Array expected = intersection_of(rare, frequent);
    rare.resize(kernels_.intersect_arrays(rare.data(), rare.size(), frequent.data(), frequent.size(), rare.data()));
    EXPECT_EQ(rare, expected);
  }
}

TEST_P(KernelsTest, StayWithinTheirBuffersForDamagedArrays) {
  for (int round = 0; round < 200; ++round) {
    Array rare(below(600));
    Array frequent(rare.size() + below(2'000));
    for (std::uint16_t& document : rare) document = static_cast<std::uint16_t>(below(50));
    for (std::uint16_t& document : frequent) document = static_cast<std::uint16_t>(below(50));
    EXPECT_LE(common(rare, frequent).size(), rare.size());
  }
}

TEST_P(KernelsTest, LookUpTheImpactsOfDocuments) {
  for (const std::size_t size : {0U, 1U, 31U, 33U, 700U, 9'000U})
    for (const std::size_t wanted : {0U, 1U, 3U, 60U, 4'000U}) {
      const Array documents = random_array(wanted);
      const Array array = random_array(size);
      const Bytes impacts = random_bytes(size);
      WindowSet set;
      Array ranks(format::kRankEntries);
      Bytes expected(wanted);
      for (std::size_t i = 0; i < size; ++i) set.insert(array[i]);
      for (std::size_t i = 0; i < ranks.size(); ++i)
        ranks[i] = static_cast<std::uint16_t>(std::lower_bound(array.begin(), array.end(), i * format::kRankBits) -
                                              array.begin());
      for (std::size_t i = 0; i < wanted; ++i) {
        const auto found = std::lower_bound(array.begin(), array.end(), documents[i]);
        if (found != array.end() && *found == documents[i])
          expected[i] = impacts[static_cast<std::size_t>(found - array.begin())];
      }
      Bytes looked_up(wanted);
      kernels_.look_up(documents.data(), wanted, array.data(), size, impacts.data(), looked_up.data());
      ASSERT_EQ(looked_up, expected);
      kernels_.look_up_in_set(documents.data(), wanted, set.words.data(), ranks.data(), size, impacts.data(),
                              looked_up.data());
      ASSERT_EQ(looked_up, expected);
    }
}

TEST_P(KernelsTest, ListTheDocumentsOfWords) {
  for (const std::size_t size : {0U, 1U, 4'000U, 30'000U, kWindowDocuments}) {
    const Array members = random_array(size);
    WindowSet set;
    for (const std::uint16_t document : members) set.insert(document);
    Array listed;
    for (std::uint32_t first = 0; first < kWindowDocuments; first += kSpanDocuments) {
      Array part(kSpanDocuments);
      part.resize(kernels_.list(set.words.data() + first / 64, kSpanDocuments / 64, first, part.data()));
      listed.insert(listed.end(), part.begin(), part.end());
    }
    EXPECT_EQ(listed, members);
  }
}

TEST_P(KernelsTest, RankABitOfACacheLine) {
  const WindowSet set = random_set(30'000);
  std::uint32_t expected = 0;
  for (std::uint32_t bit = 0; bit < 512; ++bit) {
    EXPECT_EQ(kernels_.rank(set.words.data(), bit), expected);
    expected += set.contains(static_cast<std::uint16_t>(bit)) ? 1 : 0;
  }
}

TEST_P(KernelsTest, FindTheLargestByte) {
  for (std::size_t size = 0; size < 300; ++size) {
    Bytes bytes = random_bytes(size);
    for (std::uint8_t& byte : bytes) byte /= 2;
    if (size > 0) bytes[below(static_cast<std::uint32_t>(size))] = static_cast<std::uint8_t>(128 + below(128));
    EXPECT_EQ(kernels_.max(bytes.data(), size), size == 0 ? 0 : *std::max_element(bytes.begin(), bytes.end()));
  }
}

TEST_P(KernelsTest, FindBytesAtOrAboveAThreshold) {
  for (const std::size_t size : {0U, 1U, 31U, 128U, 1'000U, 65'536U})
    for (const int threshold : {0, 1, 128, 200, 255}) {
      const Bytes bytes = random_bytes(size);
      Array found(size);
      found.resize(kernels_.find_at_least(bytes.data(), size, static_cast<std::uint8_t>(threshold), found.data()));
      Array expected;
      for (std::size_t i = 0; i < size; ++i)
        if (bytes[i] >= threshold) expected.push_back(static_cast<std::uint16_t>(i));
      ASSERT_EQ(found, expected);
    }
}

TEST_P(KernelsTest, SkipMarks) {
  for (std::size_t size = 0; size < 200; ++size) {
    const Bytes bytes = random_bytes(size);
    std::vector<std::size_t> after{0};
    for (std::size_t i = 0; i < size; ++i)
      if (bytes[i] >= 0xC0) after.push_back(i + 1);
    for (std::uint32_t marks = 0; marks < after.size() + 3; ++marks)
      ASSERT_EQ(kernels_.skip_postings(bytes.data(), size, marks), marks < after.size() ? after[marks] : size);
  }
}

INSTANTIATE_TEST_SUITE_P(EachInstructionSet, KernelsTest, testing::ValuesIn(all_kernels()), [](const auto& set) {
  std::string name(set.param->name);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(Kernels, AreTheFastestThatTheProcessorSupports) { EXPECT_EQ(&kernels(), all_kernels().back()); }

}  // namespace
}  // namespace kbase::native_index
