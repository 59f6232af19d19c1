// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/postings/posting_buffer.hpp"

#include <cassert>

#include "adapters/native_index/postings/format.hpp"
#include "adapters/native_index/postings/positions.hpp"

namespace kbase::native_index {

void PostingBuffer::clear() {
  documents_.clear();
  impacts_.clear();
  positions_.clear();
  position_blocks_.clear();
}

void PostingBuffer::begin(std::uint32_t document, std::uint8_t impact, [[maybe_unused]] bool is_bare) {
  assert(documents_.empty() || documents_.back() < document);
  assert(documents_.empty() || positions_.empty() == is_bare);
  assert(impact > 0);
  if (documents_.size() % format::kPositionBlock == 0)
    position_blocks_.push_back(static_cast<std::uint32_t>(positions_.size()));
  documents_.push_back(document);
  impacts_.push_back(impact);
}

void PostingBuffer::add(std::uint32_t document, std::uint8_t impact, std::span<const std::uint32_t> positions) {
  begin(document, impact, positions.empty());
  append_positions(positions, positions_);
}

void PostingBuffer::add_encoded(std::uint32_t document, std::uint8_t impact, std::span<const std::uint8_t> positions) {
  begin(document, impact, positions.empty());
  positions_.insert(positions_.end(), positions.begin(), positions.end());
}

}  // namespace kbase::native_index
