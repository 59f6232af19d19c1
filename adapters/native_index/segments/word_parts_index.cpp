// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/word_parts_index.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "adapters/native_index/segments/segment.hpp"
#include "domain/base/text.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kBuckets = std::size_t{1} << 16;
constexpr char kEnd = '\n';

}  // namespace

WordPartsIndex::WordPartsIndex(const Dictionary& dictionary) : words_(1, kEnd), ends_(kBuckets + 1) {
  add_words(dictionary);
  const auto visit_grams = [this](auto visitor) {
    for (std::size_t i = 0; i + kGram <= words_.size(); ++i)
      if (std::memchr(&words_[i], kEnd, kGram) == nullptr) visitor(static_cast<std::uint32_t>(i));
  };
  visit_grams([this](std::uint32_t place) { ++ends_[bucket_of(&words_[place]) + 1]; });
  for (std::size_t i = 0; i < kBuckets; ++i) ends_[i + 1] += ends_[i];
  places_.resize(ends_.back());
  std::vector<std::uint32_t> next(ends_.begin(), ends_.end() - 1);
  visit_grams([&](std::uint32_t place) { places_[next[bucket_of(&words_[place])]++] = place; });
}

void WordPartsIndex::add_words(const Dictionary& dictionary) {
  constexpr std::size_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
  for (TermCursor term = dictionary.all(); term.next();) {
    if (!term.entry().is_word) continue;
    std::string_view word = term.term();
    if (word.front() == kExactMark) word.remove_prefix(1);
    const bool is_long = word.size() >= kShortestWord && words_.size() + word.size() < kMostBytes;
    if (is_long && std::none_of(word.begin(), word.end(), ascii::is_digit)) words_.append(word) += kEnd;
  }
}

std::size_t WordPartsIndex::bucket_of(const char* gram) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, gram, kGram);
  return bytes * 0x9E3779B1U >> 16U;
}

void WordPartsIndex::visit(std::string_view part, FunctionRef<void(std::string_view word)> sink) const {
  if (part.size() < kGram) return;
  const auto count_at = [&](std::size_t i) {
    const std::size_t bucket = bucket_of(&part[i]);
    return ends_[bucket + 1] - ends_[bucket];
  };
  std::size_t rarest = 0;
  for (std::size_t i = 1; i + kGram <= part.size(); ++i)
    if (count_at(i) < count_at(rarest)) rarest = i;
  const std::size_t bucket = bucket_of(&part[rarest]);
  for (std::size_t i = ends_[bucket]; i < ends_[bucket + 1]; ++i)
    if (places_[i] >= rarest && std::string_view(words_).substr(places_[i] - rarest).starts_with(part))
      sink(word_at(places_[i]));
}

std::string_view WordPartsIndex::word_at(std::size_t place) const {
  const std::size_t begin = words_.rfind(kEnd, place) + 1;
  return std::string_view(words_).substr(begin, words_.find(kEnd, place) - begin);
}

}  // namespace kbase::native_index
