// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/seen_ids.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kbase::native_index {

bool SeenIds::insert(std::string_view id) {
  if (used_ * 2 >= slots_.size()) grow();
  // The low bits select the partition of a batch, so that they are equal for all of its ids.
  return insert(std::max(1U, static_cast<std::uint32_t>(std::hash<std::string_view>()(id) >> 32)));
}

bool SeenIds::insert(std::uint32_t hash) {
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
    if (slots_[slot] == hash) return true;
  slots_[slot] = hash;
  ++used_;
  return false;
}

void SeenIds::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint32_t>(slots_.size() * 2));
  used_ = 0;
  for (const std::uint32_t hash : before)
    if (hash != 0) insert(hash);
}

}  // namespace kbase::native_index
