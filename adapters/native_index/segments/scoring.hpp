// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kbase::native_index {

/// The fields that are searched, and how much a word in each counts.
enum class Field : std::uint8_t { Content, Tags, Title };
inline constexpr std::array<std::uint32_t, 3> kFieldWeights{1, 2, 4};

inline constexpr std::uint32_t weight_of(Field field) {
  return kFieldWeights[static_cast<std::size_t>(field)];
}

/// Positions between the words of two fields or tags, so that no phrase spans them.
inline constexpr std::uint32_t kFieldGap = 16;

/// What a word's exact form counts on top of any form of it.
inline constexpr float kExactWeight = 0.2F;

/// What a term is worth in a document, on its own: BM25F (Robertson, Zaragoza, Taylor 2004) with one b for all fields,
/// saturated and quantised to a byte. A document's score is the sum over the query's terms of idf * impact / 255.
///
/// `length` and `frequency` count words times their field's weight. `pivot` is the length that is neither rewarded nor
/// punished; an index keeps the one it was first built with, so that a document's impacts do not depend on others.
class ImpactScale {
 public:
  explicit ImpactScale(float pivot) : pivot_(std::max(pivot, 1.0F)) {}

  float pivot() const { return pivot_; }

  /// Of all frequencies in a document of this length.
  float saturation(std::uint32_t length) const {
    return kSaturation * (1 - kLengthShare + kLengthShare * static_cast<float>(length) / pivot_);
  }

  /// 1..255.
  static std::uint8_t impact(std::uint32_t frequency, float saturation) {
    const float weighted = static_cast<float>(frequency);
    return static_cast<std::uint8_t>(std::clamp(255 * weighted / (weighted + saturation) + 0.5F, 1.0F, 255.0F));
  }

  /// What an impact was made of: exact while (frequency + saturation)^2 < 240 * saturation, which is up to 17 in a
  /// document of mean length; above, impacts stand for several frequencies.
  static std::uint32_t frequency(std::uint8_t impact, float saturation) {
    const float share = std::min(static_cast<float>(impact), kLargestShare) / 255;
    return static_cast<std::uint32_t>(std::clamp(saturation * share / (1 - share) + 0.5F, 1.0F, kMostFrequent));
  }

 private:
  static constexpr float kLargestShare = 254.5F;  // of 255, what an impact of 255 begins with
  static constexpr float kMostFrequent = 1e9F;
  static constexpr float kSaturation = 1.6F;    // k1
  static constexpr float kLengthShare = 0.65F;  // b

  float pivot_;
};

/// What a word says about an item that has it: BM25's inverse document frequency as Lucene has it, which is never
/// negative, raised a little.
inline double word_weight(std::uint64_t documents, std::uint64_t with_word) {
  constexpr double kPower = 1.1;
  const auto all = static_cast<double>(documents);
  const auto with = static_cast<double>(with_word);
  return std::pow(std::log(1 + (all - with + 0.5) / (with + 0.5)), kPower);
}

/// What a word counts that a query repeats: BM25's saturation of query terms, k3.
inline double repetition(std::uint32_t times) {
  constexpr double kRepeats = 8;
  return times * (kRepeats + 1) / (times + kRepeats);
}

// Words near each other, see Nearness.
inline constexpr std::size_t kNearHits = 20;       ///< of a result's best, which are lifted by it
inline constexpr std::uint32_t kNearWindow = 8;    ///< positions
inline constexpr std::size_t kNearWords = 16;      ///< the heaviest of a query
inline constexpr std::size_t kNearPositions = 64;  ///< the first of a word in a document

/// A weight that is summed in any order.
inline std::uint32_t proximity_weight(double weight) {
  return static_cast<std::uint32_t>(std::lround(weight * 65536));
}

/// What the weights of the words in a window add to a score.
inline float proximity_boost(std::uint64_t weights) {
  return 0.2F * static_cast<float>(weights) / 65536.0F;
}

}  // namespace kbase::native_index
