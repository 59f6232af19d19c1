// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/word_vectors/sparse_rows.hpp"
#include "adapters/word_vectors/word_vectors.hpp"
#include "domain/base/text.hpp"

namespace kbase::word_vectors {

/// Learns vectors of words from the texts in which they occur together: latent semantic analysis (Deerwester and
/// others, "Indexing by latent semantic analysis", JASIS 41, 1990) of the logarithm of the count of each word, times
/// its inverse document frequency. Needs no model and no network. Equal texts in equal order yield equal vectors.
///
/// Takes 8 bytes of memory for each word of each text, twice as much in train(), and about 70 for each different word.
/// Not thread-safe.
class VectorTrainer {
 public:
  struct Settings {
    std::size_t dimension = 160;
    std::size_t most_words = 131072;  ///< words that get a vector: those in most texts
  };

  explicit VectorTrainer(Settings settings) : settings_(settings) {}

  /// Adds a text. A word occurs once in `text`.
  void add(std::span<const WordCount> text);

  std::size_t texts() const { return counts_.rows(); }

  /// Returns the vectors of the texts so far. Forgets the texts.
  WordVectors train();

 private:
  std::vector<std::uint32_t> most_frequent() const;

  Settings settings_;
  TextMap<std::uint32_t> numbers_;
  std::vector<const std::string*> words_;   // by number; keys of numbers_
  std::vector<std::uint32_t> text_counts_;  // by number: texts that have the word
  SparseRows counts_;                       // a row for each text, a column for each word
  std::vector<SparseRows::Entry> row_;      // kept for its memory
};

}  // namespace kbase::word_vectors
