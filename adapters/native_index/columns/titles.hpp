// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"

/// Index of the titles and aliases of a segment's items, by which a query that is a title finds its item.
namespace kbase::native_index {

/// Hash of kTitleHashBits, which no two of a million titles share but once in 500 bases.
using TitleHash = std::uint64_t;
inline constexpr unsigned kTitleHashBits = 48;

struct TitleEntry {
  TitleHash hash;
  std::uint32_t document;

  auto operator<=>(const TitleEntry&) const = default;
};

/// The entries, sorted, without duplicates: high 32 bits of the hash, low 16 bits of the hash, document, without gaps.
inline constexpr SectionKind kTitleSection = section_kind("titl");
inline constexpr std::size_t kTitleEntryBytes = 10;

/// A view of a file, which must outlive it. Keeps at most one byte per title in memory. Thread-safe.
class TitleTable {
 public:
  TitleTable() = default;
  /// Errors: Corrupt if an entry is incomplete, not above the one before, or has a document of `documents` or higher.
  static Result<TitleTable> open(const SectionFile& file, std::size_t documents);

  /// Returns the documents with the title, ascending.
  std::vector<std::uint32_t> find(TitleHash hash) const;

  /// Prefetches what find() will read; see Segment::prefetch().
  void prefetch(TitleHash hash) const noexcept;

  std::size_t size() const noexcept { return bytes_.size() / kTitleEntryBytes; }
  TitleEntry entry(std::size_t number) const noexcept;

 private:
  void group();
  std::size_t group_of(TitleHash hash) const noexcept { return hash >> shift_; }

  std::string_view bytes_;
  std::vector<std::uint32_t> group_starts_;  // groups of entries by the first bits of their hash; then the end
  unsigned shift_ = 0;
};

/// Gathers the entries in memory, 16 bytes each, until they are written. Not thread-safe.
class TitleTableWriter {
 public:
  /// Entries may come in any order.
  void add(TitleEntry entry) { entries_.push_back(entry); }

  /// Writes the section. Call once.
  Status write(SectionFileWriter& file);

 private:
  std::vector<TitleEntry> entries_;
};

}  // namespace kbase::native_index
