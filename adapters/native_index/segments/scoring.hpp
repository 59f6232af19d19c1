// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace kbase::native_index {

/// Searched fields, and the weight of a word in each.
enum class Field : std::uint8_t { Content, Tags, Title };
inline constexpr std::array<std::uint32_t, 3> kFieldWeights{1, 2, 4};

inline constexpr std::uint32_t field_weight(Field field) { return kFieldWeights[static_cast<std::size_t>(field)]; }

/// Distance in positions between two fields or tags, so that no phrase spans them.
inline constexpr std::uint32_t kFieldGap = 16;

/// Weight of a word's exact form, in addition to the weight of any of its forms.
inline constexpr float kExactWeight = 0.2F;

/// Impact of a term in a document: BM25F (Robertson, Zaragoza, Taylor 2004) with one b for all fields, saturated and
/// quantised to a byte. A document's score is the sum over the query's terms of idf * impact / 255.
///
/// `length` and `frequency` count words weighted by their fields. `pivot` is the document length that is neither
/// rewarded nor penalised. An index keeps its pivot until the mean length drifts, so that a document's impacts do not
/// depend on other documents.
class ImpactScale {
 public:
  explicit ImpactScale(float pivot) : pivot_(std::max(pivot, 1.0F)) {}

  float pivot() const { return pivot_; }

  /// Saturation term of all frequencies in a document of this length.
  float saturation(std::uint32_t length) const {
    return kSaturation * (1 - kLengthShare + kLengthShare * static_cast<float>(length) / pivot_);
  }

  /// Returns 1..255.
  static std::uint8_t impact(std::uint32_t frequency, float saturation) {
    const float weighted = static_cast<float>(frequency);
    return static_cast<std::uint8_t>(std::clamp(255 * weighted / (weighted + saturation) + 0.5F, 1.0F, 255.0F));
  }

  /// Returns the frequency of an impact: exact while (frequency + saturation)^2 < 240 * saturation, which holds up to
  /// 17 in a document of mean length; higher impacts represent several frequencies.
  static std::uint32_t frequency(std::uint8_t impact, float saturation) {
    const float ratio = std::min(static_cast<float>(impact), kMaxRatio) / 255;
    return static_cast<std::uint32_t>(std::clamp(saturation * ratio / (1 - ratio) + 0.5F, 1.0F, kMaxFrequency));
  }

 private:
  static constexpr float kMaxRatio = 254.5F;  // lower bound of impact 255 before rounding
  static constexpr float kMaxFrequency = 1e9F;
  static constexpr float kSaturation = 1.6F;    // k1
  static constexpr float kLengthShare = 0.65F;  // b

  float pivot_;
};

/// Weight of a word with `with_word` of `documents` items: BM25's inverse document frequency in Lucene's variant, which
/// is never negative, raised to the power of 1.1.
inline double word_weight(std::uint64_t documents, std::uint64_t with_word) {
  constexpr double kPower = 1.1;
  const auto all = static_cast<double>(documents);
  const auto with = static_cast<double>(with_word);
  return std::pow(std::log(1 + (all - with + 0.5) / (with + 0.5)), kPower);
}

/// Factor for a word that occurs `times` in the query: BM25's saturation of query terms, k3.
inline double repetition_factor(std::uint32_t times) {
  constexpr double kSaturation = 8;
  return times * (kSaturation + 1) / (times + kSaturation);
}

// Parameters of proximity; see Proximity.
inline constexpr std::size_t kProximityHits = 20;       ///< top hits of a result that are reranked by proximity
inline constexpr std::uint32_t kProximityWindow = 8;    ///< positions
inline constexpr std::size_t kProximityWords = 16;      ///< heaviest words of a query that are considered
inline constexpr std::size_t kProximityPositions = 64;  ///< first positions of a word in a document that are considered

/// Converts a weight to fixed point, so that sums do not depend on their order.
inline std::uint32_t proximity_weight(double weight) { return static_cast<std::uint32_t>(std::lround(weight * 65536)); }

/// Score boost for words of these total weights in one window.
inline float proximity_boost(std::uint64_t weights) { return 0.2F * static_cast<float>(weights) / 65536.0F; }

}  // namespace kbase::native_index
