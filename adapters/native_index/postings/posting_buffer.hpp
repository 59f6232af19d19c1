// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::native_index {

/// The postings of one term while they are gathered, before list_encoder.hpp lays them out. Its memory is kept from
/// term to term. One thread.
///
/// Documents ascend strictly, impacts are 1..255; either all postings of a list have positions or none has (asserted).
class PostingBuffer {
 public:
  void clear();
  bool empty() const { return documents_.empty(); }

  void add(std::uint32_t document, std::uint8_t impact, std::span<const std::uint32_t> positions = {});

  /// With positions as PositionReader::encoded() gave them: what a merge does.
  void add_encoded(std::uint32_t document, std::uint8_t impact, std::span<const std::uint8_t> positions);

  std::span<const std::uint32_t> documents() const { return documents_; }
  std::span<const std::uint8_t> impacts() const { return impacts_; }
  std::span<const std::uint8_t> positions() const { return positions_; }  ///< encoded, one posting after the other
  std::span<const std::uint32_t> position_blocks() const { return position_blocks_; }  ///< begins in positions()

 private:
  void begin(std::uint32_t document, std::uint8_t impact, bool is_bare);

  std::vector<std::uint32_t> documents_;
  std::vector<std::uint8_t> impacts_;
  std::vector<std::uint8_t> positions_;
  std::vector<std::uint32_t> position_blocks_;
};

}  // namespace kbase::native_index
