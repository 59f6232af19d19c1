// SPDX-License-Identifier: Apache-2.0
#include "adapters/word_vectors/vector_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "adapters/word_vectors/truncated_svd.hpp"

namespace kbase::word_vectors {

namespace {

constexpr std::uint32_t kSeed = 1;
constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();

/// Inverse document frequency as in BM25.
float weight_of(std::size_t texts, std::uint32_t with_word) {
  const double without = static_cast<double>(texts - with_word);
  return static_cast<float>(std::log1p((without + 0.5) / (with_word + 0.5)));
}

void scale_to_length_1(std::span<SparseRows::Entry> row) {
  float squares = 0;
  for (const auto& [column, value] : row) squares += value * value;
  if (squares == 0) return;
  const float factor = 1 / std::sqrt(squares);
  for (auto& entry : row) entry.value *= factor;
}

}  // namespace

void VectorTrainer::add(std::span<const WordCount> text) {
  row_.clear();
  for (const auto& [word, count] : text) {
    auto found = numbers_.find(word);
    if (found == numbers_.end()) {
      found = numbers_.emplace(word, static_cast<std::uint32_t>(words_.size())).first;
      words_.push_back(&found->first);
      text_counts_.push_back(0);
    }
    ++text_counts_[found->second];
    row_.push_back({found->second, std::log1p(static_cast<float>(count))});
  }
  counts_.add(row_);
}

/// Returns the numbers of the words that get a vector, in the order of their bytes.
std::vector<std::uint32_t> VectorTrainer::most_frequent() const {
  std::vector<std::uint32_t> numbers(words_.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  const auto by_bytes = [&](std::uint32_t a, std::uint32_t b) { return *words_[a] < *words_[b]; };
  if (numbers.size() > settings_.most_words) {
    const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(settings_.most_words);
    std::nth_element(numbers.begin(), end, numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
      return text_counts_[a] != text_counts_[b] ? text_counts_[a] > text_counts_[b] : by_bytes(a, b);
    });
    numbers.erase(end, numbers.end());
  }
  std::sort(numbers.begin(), numbers.end(), by_bytes);
  return numbers;
}

WordVectors VectorTrainer::train() {
  const std::size_t texts = counts_.rows();
  const std::vector<std::uint32_t> kept = most_frequent();
  std::vector<std::uint32_t> columns(words_.size(), kNoColumn);
  std::vector<WordVectors::Row> rows(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    columns[kept[i]] = static_cast<std::uint32_t>(i);
    rows[i].word = *words_[kept[i]];
    rows[i].weight = weight_of(texts, text_counts_[kept[i]]);
  }

  SparseRows weighted;
  for (std::size_t i = 0; i < texts; ++i) {
    row_.clear();
    for (const auto& [word, value] : counts_.row(i))
      if (const auto column = columns[word]; column != kNoColumn) row_.push_back({column, value * rows[column].weight});
    scale_to_length_1(row_);
    weighted.add(row_);
  }
  *this = VectorTrainer(settings_);

  const std::vector<float> vectors = right_singular_vectors(weighted, rows.size(), settings_.dimension, kSeed);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(i * settings_.dimension);
    rows[i].vector.assign(begin, begin + static_cast<std::ptrdiff_t>(settings_.dimension));
    for (float& value : rows[i].vector) value *= rows[i].weight;
  }
  return WordVectors(settings_.dimension, weight_of(texts, 0), rows);
}

}  // namespace kbase::word_vectors
