// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/term_table.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace kbase::native_index {
namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 16;

std::uint32_t hash_of(std::string_view term) {
  return static_cast<std::uint32_t>(XXH3_64bits(term.data(), term.size()));
}

/// The first bytes of a term as a number that sorts as they do.
std::uint64_t head_of(std::string_view term) {
  std::uint64_t head = 0;
  std::memcpy(&head, term.data(), std::min(term.size(), sizeof head));
  return __builtin_bswap64(head);
}

}  // namespace

TermTable::TermTable() : slots_(kFirstSlots), begins_{0} {}

std::uint32_t TermTable::number_of(std::string_view term) {
  const std::uint32_t hash = hash_of(term);
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash & mask;
  for (; slots_[place].number != kFree; place = (place + 1) & mask)
    if (slots_[place].hash == hash && this->term(slots_[place].number) == term) return slots_[place].number;
  const std::uint32_t number = size();
  slots_[place] = {hash, number};
  texts_.append(term);
  begins_.push_back(texts_.size());
  if (size() * std::size_t{2} > slots_.size()) grow();
  return number;
}

void TermTable::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == kFree) continue;
    std::size_t place = slot.hash & mask;
    while (slots_[place].number != kFree) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

std::vector<std::uint32_t> TermTable::sorted() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(size());
  for (std::uint32_t i = 0; i < size(); ++i) keys[i] = {head_of(term(i)), i};
  std::sort(keys.begin(), keys.end(), [this](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : term(a.second) < term(b.second);
  });
  std::vector<std::uint32_t> numbers(keys.size());
  std::transform(keys.begin(), keys.end(), numbers.begin(), [](const auto& key) { return key.second; });
  return numbers;
}

void TermTable::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot());
  texts_.clear();
  begins_.assign(1, 0);
}

}  // namespace kbase::native_index
