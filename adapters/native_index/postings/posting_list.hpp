// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "adapters/native_index/postings/window.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

/// Documents of a term with their impacts and positions (layout: namespace format). A view that is cheap to open (a few
/// loads, no allocation) and to copy; valid as long as the sections are. Thread-safe.
class PostingList {
 public:
  PostingList() = default;  ///< an empty list

  /// `postings` must be aligned to 8 bytes in memory. Errors: Corrupt if the list does not fit into it.
  static Result<PostingList> open(std::span<const std::byte> postings, std::uint64_t offset,
                                  std::span<const std::byte> positions);

  std::uint32_t documents() const { return documents_; }
  std::uint8_t max_impact() const { return max_impact_; }
  bool has_positions() const { return positions_.bytes != nullptr; }

  /// Returns a lower bound of the kth largest impact (k from 1): the impact at the next larger of kStoredRanks, or 0 if
  /// none is stored. Includes deleted documents.
  std::uint8_t top_impact(std::uint32_t k) const;

  std::uint32_t windows() const { return windows_; }            ///< number of windows with postings
  Window window(std::uint32_t index) const;                     ///< by index, in document order
  std::uint32_t first_window_from(std::uint32_t number) const;  ///< index of the first one >= number, or windows()
  Window window_numbered(std::uint32_t number) const;           ///< empty if the list has no postings there

  /// Counts the list's documents in `set`, which has one bit per document of the segment in whole windows. Documents
  /// past the end of `set` are not counted.
  std::uint32_t count_in(std::span<const std::uint64_t> set) const;

 private:
  bool open_short();
  bool open_long(std::span<const std::byte> positions);
  std::uint32_t window_number(std::uint32_t index) const;
  bool read_short(std::uint32_t index, Window& window) const;
  bool read_long(std::uint32_t index, Window& window) const;
  bool locate_container(const format::WindowEntry& entry, Window& window) const;

  std::span<const std::byte> list_;                  ///< from the list's first byte to the end of the section
  const std::uint16_t* numbers_ = nullptr;           ///< short list: window numbers
  const std::uint16_t* documents_within_ = nullptr;  ///< short list: document numbers
  const std::uint8_t* ends_ = nullptr;               ///< short list with several windows: end ranks
  const format::WindowEntry* entries_ = nullptr;     ///< long list: window entries
  const std::uint8_t* impacts_ = nullptr;
  Window::Positions positions_;
  std::uint32_t documents_ = 0;
  std::uint32_t windows_ = 0;
  std::span<const std::uint8_t> top_impacts_;
  std::uint8_t max_impact_ = 0;
};

}  // namespace kbase::native_index
