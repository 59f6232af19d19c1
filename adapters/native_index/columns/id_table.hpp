// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// Buffer in which an id is assembled. The caller keeps it while it uses the id.
using IdBuffer = std::array<char, model::kMaxIdBytes>;

/// Ids of a segment's documents, sorted by their bytes and front-coded: each id omits the prefix that it shares with
/// the previous one. Ids that contain paths and kinds shrink to a quarter, and lookup needs no hash index. Views into a
/// file, which must outlive them. Thread-safe.
class IdTable {
 public:
  IdTable() = default;

  /// Checks the sizes of the sections and the references between them. The ids themselves are not checked; reading them
  /// never leaves their section. Errors: Corrupt.
  static Result<IdTable> open(const SectionFile& file, std::size_t documents);

  /// Returns a view of `buffer`, or an empty view if the section is damaged.
  std::string_view id(std::uint32_t document, IdBuffer& buffer) const noexcept;

  /// See Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  /// Returns the document with this id, or nullopt.
  std::optional<std::uint32_t> find(std::string_view id) const noexcept;

  /// Rank of each document's id among all ids of the segment. Comparing ranks replaces comparing ids.
  std::span<const std::uint32_t> ranks() const noexcept { return ranks_; }

 private:
  friend class IdCursor;
  std::string_view block(std::size_t number) const noexcept;
  std::string_view first_id_in_block(std::size_t number) const noexcept;

  std::string_view blocks_;
  std::span<const std::uint32_t> starts_;  // one per block, and the end of the last block
  std::span<const std::uint32_t> ranks_;
  std::span<const std::uint32_t> documents_;  // indexed by rank
};

/// Iterates over the ids of a table, sorted by their bytes. The table's file must outlive it. Not thread-safe.
class IdCursor {
 public:
  explicit IdCursor(const IdTable& table) : table_(table) {}

  /// Moves to the next id; the first call moves to the first id. Returns false at the end, or if the rest is damaged.
  bool next() noexcept;

  std::string_view id() const noexcept { return {buffer_.data(), id_bytes_}; }  ///< valid until next()
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

/// Gathers the ids of a segment in the encoding of IdTable until they are written. Not thread-safe.
class IdTableWriter {
 public:
  /// Appends an id of 1 to 256 bytes. Ids must come in ascending byte order, without duplicates.
  void add(std::string_view id);

  /// Writes the sections. Call once. `documents[i]` is the document of the ith id; together they are a permutation of
  /// 0..n-1. Errors: Unsupported if the ids take more than 4 GiB.
  Status write(SectionFileWriter& file, std::span<const std::uint32_t> documents);

 private:
  std::string blocks_;
  std::vector<std::uint32_t> starts_;
  std::string last_id_;
  std::uint32_t ids_ = 0;
};

}  // namespace kbase::native_index
