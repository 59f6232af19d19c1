// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/text_table.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "adapters/native_index/dictionary/dictionary.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 16;

std::uint32_t hash_text(std::string_view text) {
  return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

TextTable::TextTable() : slots_(kFirstSlots), starts_{0} {}

std::size_t TextTable::find_slot(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot].number != kFree; slot = (slot + 1) & mask)
    if (slots_[slot].hash == hash && this->text(slots_[slot].number) == text) break;
  return slot;
}

std::optional<std::uint32_t> TextTable::find(std::string_view text) const {
  const Slot& slot = slots_[find_slot(text, hash_text(text))];
  return slot.number == kFree ? std::nullopt : std::optional(slot.number);
}

std::uint32_t TextTable::add(std::string_view text) {
  const std::uint32_t hash = hash_text(text);
  const std::size_t slot = find_slot(text, hash);
  if (slots_[slot].number != kFree) return slots_[slot].number;
  const std::uint32_t number = size();
  slots_[slot] = {hash, number};
  texts_.append(text);
  starts_.push_back(texts_.size());
  if (size() * std::size_t{2} > slots_.size()) grow();
  return number;
}

void TextTable::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& each : old) {
    if (each.number == kFree) continue;
    std::size_t slot = each.hash & mask;
    while (slots_[slot].number != kFree) slot = (slot + 1) & mask;
    slots_[slot] = each;
  }
}

std::vector<std::uint32_t> TextTable::sorted() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(size());
  for (std::uint32_t i = 0; i < size(); ++i) keys[i] = {make_sort_key(text(i)), i};
  std::sort(keys.begin(), keys.end(), [this](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : text(a.second) < text(b.second);
  });
  std::vector<std::uint32_t> numbers(keys.size());
  std::transform(keys.begin(), keys.end(), numbers.begin(), [](const auto& key) { return key.second; });
  return numbers;
}

void TextTable::clear() {
  std::fill(slots_.begin(), slots_.end(), Slot());
  texts_.clear();
  starts_.assign(1, 0);
}

}  // namespace kbase::native_index
