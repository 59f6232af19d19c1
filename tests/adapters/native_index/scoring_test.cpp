// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/scoring.hpp"

#include <gtest/gtest.h>

namespace kbase::tests {
namespace {

using native_index::ImpactScale;

TEST(ImpactScale, ReturnsAFrequencyExactlyIfRoundingAllows) {
  for (float saturation = 0.3F; saturation < 40; saturation *= 1.07F)
    for (std::uint32_t frequency = 1; frequency < 200; ++frequency) {
      const auto sum = static_cast<float>(frequency) + saturation;
      if (sum * sum >= 240 * saturation) break;
      EXPECT_EQ(ImpactScale::frequency(ImpactScale::impact(frequency, saturation), saturation), frequency)
          << saturation;
    }
}

TEST(ImpactScale, ReturnsAFrequencyWithTheSameImpact) {
  for (const float saturation : {0.3F, 1.2F, 7.0F})
    for (unsigned impact = 1; impact <= 255; ++impact) {
      const auto byte = static_cast<std::uint8_t>(impact);
      const std::uint32_t frequency = ImpactScale::frequency(byte, saturation);
      EXPECT_GE(frequency, 1u);
      // If no integer frequency has this impact, the nearest one is returned.
      const auto back = ImpactScale::impact(frequency, saturation);
      const auto before = ImpactScale::impact(std::max(1u, frequency - 1), saturation);
      const auto after = ImpactScale::impact(frequency + 1, saturation);
      EXPECT_TRUE(back == byte || frequency == 1 || (before < byte && byte < after)) << impact << ' ' << saturation;
    }
}

}  // namespace
}  // namespace kbase::tests
