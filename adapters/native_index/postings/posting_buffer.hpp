// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kbase::native_index {

/// Postings of one term, gathered before list_encoder.hpp encodes them. Reuses its memory for the next term. Not
/// thread-safe.
///
/// Documents must ascend strictly, and impacts must be 1..255. Either all postings of a list have positions or none has
/// (asserted).
class PostingBuffer {
 public:
  void clear();
  bool empty() const { return documents_.empty(); }

  void add(std::uint32_t document, std::uint8_t impact, std::span<const std::uint32_t> positions = {});

  /// Adds a posting with positions encoded as by PositionReader::encoded(). Used by merges.
  void add_encoded(std::uint32_t document, std::uint8_t impact, std::span<const std::uint8_t> positions);

  std::span<const std::uint32_t> documents() const { return documents_; }
  std::span<const std::uint8_t> impacts() const { return impacts_; }
  std::span<const std::uint8_t> positions() const { return positions_; }  ///< encoded, posting after posting
  std::span<const std::uint32_t> position_blocks() const { return position_blocks_; }  ///< starts in positions()

 private:
  void begin(std::uint32_t document, std::uint8_t impact, bool is_bare);

  std::vector<std::uint32_t> documents_;
  std::vector<std::uint8_t> impacts_;
  std::vector<std::uint8_t> positions_;
  std::vector<std::uint32_t> position_blocks_;
};

}  // namespace kbase::native_index
