// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// Where an id is put together; the caller's, for as long as it looks at the id.
using IdBuffer = std::array<char, model::kMaxIdBytes>;

/// The ids of a segment's documents: sorted by their bytes, each without what it shares with the one before it, so that
/// ids with paths and kinds in them take a quarter of their bytes and are found without an index of hashes. Views into
/// a file, which must outlive them. Any thread.
class IdTable {
 public:
  IdTable() = default;

  /// Looks at the sections' sizes and what leads from one to another; the ids themselves are trusted to no more than
  /// end within their section. Corrupt.
  static model::Result<IdTable> open(const SectionFile& file, std::size_t documents);

  /// A view of `buffer`; empty where the section is damaged.
  std::string_view id(std::uint32_t document, IdBuffer& buffer) const noexcept;

  /// As Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  /// The document of this id.
  std::optional<std::uint32_t> find(std::string_view id) const noexcept;

  /// The place of each document's id among all, so that ids need not be compared within one segment.
  std::span<const std::uint32_t> ranks() const noexcept { return ranks_; }

 private:
  friend class IdCursor;
  std::string_view block(std::size_t number) const noexcept;
  std::string_view first_of_block(std::size_t number) const noexcept;

  std::string_view blocks_;
  std::span<const std::uint32_t> starts_;  // of blocks + 1
  std::span<const std::uint32_t> ranks_;
  std::span<const std::uint32_t> documents_;  // by rank
};

/// Goes through the ids of a table in the order of their bytes. The table's file has to outlive it. One thread.
class IdCursor {
 public:
  explicit IdCursor(const IdTable& table) : table_(table) {}

  /// Moves on to the next id, at first to the first one. False: there is none, or the rest is damaged.
  bool next() noexcept;

  std::string_view id() const noexcept { return {buffer_.data(), id_bytes_}; }  ///< until next()
  std::uint32_t document() const noexcept { return table_.documents_[next_rank_ - 1]; }
  bool damaged() const noexcept { return damaged_; }

 private:
  IdTable table_;
  std::size_t next_rank_ = 0;
  ByteReader block_;
  IdBuffer buffer_;
  std::size_t id_bytes_ = 0;
  bool damaged_ = false;
};

}  // namespace kbase::native_index
