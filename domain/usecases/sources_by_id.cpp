// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/sources_by_id.hpp"

#include <cstring>
#include <functional>
#include <new>
#include <utility>

namespace kbase::usecases {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;  // the allocator returns blocks of this size to the system

}  // namespace

std::size_t SourcesById::slot_of(std::string_view id) const {
  std::size_t slot = std::hash<std::string_view>()(id) % slots_.size();
  while (slots_[slot] != nullptr && text_of(*slots_[slot]) != id) slot = (slot + 1) % slots_.size();
  return slot;
}

bool SourcesById::contains(std::string_view id) const {
  const Head* const head = slots_[slot_of(id)];
  return head != nullptr && head->is_present;
}

bool SourcesById::insert(std::string_view id, std::uint32_t source) {
  return std::exchange(find_or_add(id).source, source) != source;
}

void SourcesById::remove(std::string_view id) {
  Head* const head = slots_[slot_of(id)];
  if (head == nullptr || !std::exchange(head->is_present, false)) return;
  head->source = 0;
  --size_;
}

SourcesById::Head& SourcesById::find_or_add(std::string_view id) {
  std::size_t slot = slot_of(id);
  if (slots_[slot] == nullptr) {
    if (used_ * 4 >= slots_.size() * 3) {
      grow();
      slot = slot_of(id);
    }
    const std::size_t unaligned = sizeof(Head) + id.size();
    const std::size_t size = (unaligned + alignof(Head) - 1) / alignof(Head) * alignof(Head);
    if (blocks_.empty() || block_used_ + size > kBlockBytes) {
      blocks_.push_back(std::make_unique<std::byte[]>(kBlockBytes));
      block_used_ = 0;
    }
    std::byte* const bytes = blocks_.back().get() + std::exchange(block_used_, block_used_ + size);
    Head* const head = new (bytes) Head{0, static_cast<std::uint16_t>(id.size()), /*is_present=*/false};
    std::memcpy(bytes + sizeof(Head), id.data(), id.size());
    slots_[slot] = head;
    ++used_;
  }
  Head& head = *slots_[slot];
  if (!std::exchange(head.is_present, true)) ++size_;
  return head;
}

void SourcesById::grow() {
  for (Head* const head : std::exchange(slots_, std::vector<Head*>(slots_.size() * 2)))
    if (head != nullptr) slots_[slot_of(text_of(*head))] = head;
}

}  // namespace kbase::usecases
