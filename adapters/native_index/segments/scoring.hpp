// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "adapters/text/ranking.hpp"

namespace kbase::native_index {

/// Searched fields, and the weight of a word in each.
enum class Field : std::uint8_t { Content, Tags, Title };
inline constexpr std::array<std::uint32_t, 3> kFieldWeights{1, 2, text::kTitleWeight};

inline constexpr std::uint32_t field_weight(Field field) { return kFieldWeights[static_cast<std::size_t>(field)]; }

/// Distance in positions between two fields or tags, so that no phrase spans them.
inline constexpr std::uint32_t kFieldGap = 16;

/// Weight of a word's exact form, in addition to the weight of any of its forms.
inline constexpr float kExactWeight = 0.2F;

/// Frequency of one word of the content. Frequencies are whole numbers, so that their sums are exact.
inline constexpr std::uint32_t kWordFrequency = 4;

/// Returns the frequency that a token of a field counts. `title_weight`: from text::title_weight(). A part of a word
/// (`is_weak`) counts half. A pair of characters (`is_pair`) counts more than a word, since a word of a text without
/// spaces is in several pairs, which repeat together.
inline std::uint32_t token_frequency(Field field, float title_weight, bool is_weak, bool is_pair) {
  const float weight = field == Field::Title ? title_weight : static_cast<float>(field_weight(field));
  const float share = (is_weak ? 0.5F : 1.0F) * (is_pair ? 1.5F : 1.0F);
  return std::max(1U, static_cast<std::uint32_t>(std::lround(weight * share * static_cast<float>(kWordFrequency))));
}

/// Length of a token in quarters of a word.
inline std::uint32_t token_length(bool is_pair) { return is_pair ? 1 : 4; }

/// Saturation of the frequencies in a document: BM25's k1 and length norm in one. `length` counts words weighted by
/// their fields. It does not depend on other documents, as a mean length would: an impact stays right whatever is added
/// or removed, and two indices of the same content rank the same. See docs/decisions/0020-what-ranks.md.
inline float saturation(float length) {
  constexpr float kWordsPerSquare = 25;  // a word that occurs once counts half in a document of 25 words
  return kWordFrequency * std::sqrt(std::max(length, 1.0F) / kWordsPerSquare);
}

/// Impact of a term in a document, 1..255: its BM25F (Robertson, Zaragoza, Taylor 2004), quantised. `frequency` is a
/// sum of token_frequency(). A document's score is the sum over the query's terms of idf * impact / 255.
inline std::uint8_t impact(std::uint32_t frequency, float saturation) {
  const float weighted = static_cast<float>(frequency);
  return static_cast<std::uint8_t>(std::clamp(255 * weighted / (weighted + saturation) + 0.5F, 1.0F, 255.0F));
}

/// Weight of a word with `with_word` of `documents` items: BM25's inverse document frequency in Lucene's variant, which
/// is never negative, raised to the power of 1.1.
inline double word_weight(std::uint64_t documents, std::uint64_t with_word) {
  constexpr double kPower = 1.1;
  const auto all = static_cast<double>(documents);
  const auto with = static_cast<double>(with_word);
  return std::pow(std::log(1 + (all - with + 0.5) / (with + 0.5)), kPower);
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

/// Score boost for words of these total weights if the title has all of them.
inline float title_boost(std::uint64_t weights) { return 0.2F * static_cast<float>(weights) / 65536.0F; }

}  // namespace kbase::native_index
