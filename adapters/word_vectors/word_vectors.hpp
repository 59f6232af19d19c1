// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::word_vectors {

/// A word of a text, and how often it occurs there.
struct WordCount {
  std::string_view word;
  std::uint32_t count = 1;
};

/// The vector of a text.
struct Embedding {
  std::vector<float> values;  ///< of length 1; all 0 if no word of the text has a vector
  /// Share of the text's words that have a vector, each word by its weight: 0 to 1. The lower, the less of the text the
  /// vector stands for.
  double coverage = 0;
};

/// Vectors of words. Texts about the same subject have similar vectors, also where they share no words. Immutable, so
/// every member function is thread-safe.
class WordVectors {
 public:
  /// A word that is about to be stored.
  struct Row {
    std::string word;
    float weight = 0;           ///< weight of the word in a text, above 0: the rarer, the more
    std::vector<float> vector;  ///< `dimension` numbers, multiplied by the weight
  };

  /// `missing_weight`: weight of the words that have no row. No word occurs twice in `rows`.
  WordVectors(std::size_t dimension, float missing_weight, std::span<const Row> rows);

  std::size_t dimension() const { return dimension_; }
  std::size_t words() const { return weights_.size(); }

  /// Returns the vector of a text: the sum of the vectors of its words, each times the logarithm of its count. A word
  /// occurs once in `text`. Takes time in proportion to the words.
  Embedding embed(std::span<const WordCount> text) const;

  /// Returns the bytes that parse() reads, equal on all machines.
  std::string serialize() const;

  /// Corrupt: `bytes` are not of serialize(), or damaged.
  static Result<WordVectors> parse(std::string_view bytes);

 private:
  WordVectors() = default;

  std::size_t dimension_ = 0;
  float missing_weight_ = 0;
  TextMap<std::uint32_t> numbers_;  // of the words
  // By number. The vector of a word is its `dimension_` integers times its scale.
  std::vector<float> weights_, scales_;
  std::vector<std::int8_t> integers_;
};

}  // namespace kbase::word_vectors
