// SPDX-License-Identifier: Apache-2.0
#include "adapters/word_vectors/word_vectors.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <optional>

#include "adapters/vectors/length.hpp"

namespace kbase::word_vectors {

namespace {

constexpr std::string_view kMagic = "kbaseWV1";
constexpr float kLargestInteger = 127;
constexpr std::size_t kMostDimensions = 4096;

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are in memory");

template <class T> void append(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template <class T> void append(std::string& bytes, const T& value) { append(bytes, std::span(&value, 1)); }

Error corrupt(std::string_view what) {
  return Error{ErrorCode::Corrupt, "the word vectors are damaged", "word vectors: " + std::string(what)};
}

/// Reads what append() wrote; nullopt or false: too few bytes remain.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::string_view> take(std::size_t size) {
    if (size > rest_.size()) return std::nullopt;
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  template <class T> bool read(std::span<T> values) {
    const auto bytes = take(values.size_bytes());
    if (bytes && !bytes->empty()) std::memcpy(values.data(), bytes->data(), bytes->size());
    return bytes.has_value();
  }

  template <class T> bool read(T& value) { return read(std::span(&value, 1)); }

  std::size_t size() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

}  // namespace

WordVectors::WordVectors(std::size_t dimension, float missing_weight, std::span<const Row> rows)
    : dimension_(dimension), missing_weight_(missing_weight) {
  integers_.reserve(rows.size() * dimension);
  for (const Row& row : rows) {
    float largest = 0;
    for (const float value : row.vector) largest = std::max(largest, std::abs(value));
    const float scale = largest / kLargestInteger;
    for (const float value : row.vector)
      integers_.push_back(static_cast<std::int8_t>(scale > 0 ? std::lround(value / scale) : 0));
    numbers_.emplace(row.word, static_cast<std::uint32_t>(weights_.size()));
    weights_.push_back(row.weight);
    scales_.push_back(scale);
  }
}

Embedding WordVectors::embed(std::span<const WordCount> text) const {
  Embedding embedding{std::vector<float>(dimension_, 0), 0};
  double known = 0, all = 0;
  for (const auto& [word, count] : text) {
    const auto found = numbers_.find(word);
    if (found == numbers_.end()) {
      all += missing_weight_;
      continue;
    }
    const std::uint32_t number = found->second;
    known += weights_[number];
    all += weights_[number];
    const float factor = std::log1p(static_cast<float>(count)) * scales_[number];
    const std::int8_t* const integers = integers_.data() + number * dimension_;
    for (std::size_t i = 0; i < dimension_; ++i) embedding.values[i] += factor * static_cast<float>(integers[i]);
  }
  if (vectors::scale_to_length_1(embedding.values)) embedding.coverage = known / all;
  return embedding;
}

std::string WordVectors::serialize() const {
  std::vector<std::string_view> words(weights_.size());
  for (const auto& [word, number] : numbers_) words[number] = word;
  std::string bytes(kMagic);
  append(bytes, static_cast<std::uint32_t>(dimension_));
  append(bytes, static_cast<std::uint32_t>(words.size()));
  append(bytes, missing_weight_);
  for (const auto word : words) {
    append(bytes, static_cast<std::uint32_t>(word.size()));
    bytes += word;
  }
  append(bytes, std::span(weights_));
  append(bytes, std::span(scales_));
  append(bytes, std::span(integers_));
  append(bytes, static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  return bytes;
}

Result<WordVectors> WordVectors::parse(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return corrupt("the file does not begin as one of this version");
  std::uint64_t checksum = 0;
  if (bytes.size() < kMagic.size() + sizeof(checksum)) return corrupt("the file ends early");
  const auto body = bytes.substr(0, bytes.size() - sizeof(checksum));
  std::memcpy(&checksum, bytes.data() + body.size(), sizeof(checksum));
  if (checksum != XXH3_64bits(body.data(), body.size())) return corrupt("the checksum is wrong");

  Reader reader(body.substr(kMagic.size()));
  WordVectors vectors;
  std::uint32_t dimension = 0, words = 0;
  if (!reader.read(dimension) || !reader.read(words) || !reader.read(vectors.missing_weight_))
    return corrupt("the head ends early");
  if (dimension == 0 || dimension > kMostDimensions) return corrupt("the dimension is out of range");
  const std::size_t bytes_per_word = 3 * sizeof(std::uint32_t) + dimension;
  if (reader.size() / bytes_per_word < words) return corrupt("there are fewer words than the head says");
  vectors.dimension_ = dimension;
  for (std::uint32_t number = 0; number < words; ++number) {
    std::uint32_t size = 0;
    if (!reader.read(size)) return corrupt("the words end early");
    const auto word = reader.take(size);
    if (!word) return corrupt("the words end early");
    if (!vectors.numbers_.emplace(*word, number).second) return corrupt("a word occurs twice");
  }
  vectors.weights_.resize(words);
  vectors.scales_.resize(words);
  vectors.integers_.resize(words * vectors.dimension_);
  if (!reader.read(std::span(vectors.weights_)) || !reader.read(std::span(vectors.scales_)) ||
      !reader.read(std::span(vectors.integers_)) || reader.size() != 0)
    return corrupt("the vectors do not fill the file");
  return vectors;
}

}  // namespace kbase::word_vectors
