// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "adapters/native_index/postings/format.hpp"
#include "adapters/native_index/postings/window.hpp"
#include "domain/model/result.hpp"

namespace kbase::native_index {

/// The documents of a term, with an impact and positions each, as format.hpp lays them out in two sections. A view:
/// cheap to open (a few loads; no allocation) and to copy, valid as long as the sections are. Any number of threads.
class PostingList {
 public:
  PostingList() = default;  ///< one without postings

  /// `postings` begins at a multiple of 8 in memory. Corrupt: the list does not fit into it.
  static model::Result<PostingList> open(std::span<const std::byte> postings, std::uint64_t offset,
                                         std::span<const std::byte> positions);

  std::uint32_t documents() const { return documents_; }
  std::uint8_t max_impact() const { return max_impact_; }
  bool has_positions() const { return positions_.bytes != nullptr; }

  /// A lower bound of the kth largest impact (k from 1), 0 where none is known: that of the next larger of kKeptRanks.
  /// Deleted documents are among them.
  std::uint8_t best(std::uint32_t k) const;

  std::uint32_t windows() const { return windows_; }            ///< that have postings
  Window window(std::uint32_t index) const;                     ///< by its place among them, in document order
  std::uint32_t first_window_from(std::uint32_t number) const;  ///< index of the first one >= number; or windows()
  Window window_numbered(std::uint32_t number) const;           ///< without postings where the list has none there

  /// How many of its documents are in `set`, a bit for each document of the segment in whole windows; those beyond the
  /// set's end are not.
  std::uint32_t count_in(std::span<const std::uint64_t> set) const;

 private:
  bool open_short();
  bool open_long(std::span<const std::byte> positions);
  std::uint32_t number_of(std::uint32_t index) const;
  bool read_short(std::uint32_t index, Window& window) const;
  bool read_long(std::uint32_t index, Window& window) const;
  bool place_container(const format::WindowEntry& entry, Window& window) const;

  std::span<const std::byte> list_;                  ///< from its first byte to the section's end
  const std::uint16_t* numbers_ = nullptr;           ///< of a short list
  const std::uint16_t* documents_within_ = nullptr;  ///< of a short list
  const std::uint8_t* ends_ = nullptr;               ///< of a short list in several windows
  const format::WindowEntry* entries_ = nullptr;     ///< of a long list
  const std::uint8_t* impacts_ = nullptr;
  Window::Positions positions_;
  std::uint32_t documents_ = 0;
  std::uint32_t windows_ = 0;
  std::span<const std::uint8_t> best_;
  std::uint8_t max_impact_ = 0;
};

}  // namespace kbase::native_index
