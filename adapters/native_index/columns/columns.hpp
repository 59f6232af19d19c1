// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adapters/native_index/columns/id_table.hpp"
#include "adapters/native_index/columns/name_table.hpp"
#include "adapters/native_index/files/section_file.hpp"

namespace kbase::native_index {

/// Columns of a segment, each indexed by document. Views into a file, which must outlive them. Thread-safe.
class Columns {
 public:
  /// Reads and checks all columns, so that later accesses need no checks; takes a few milliseconds for a million
  /// documents in the page cache. Errors: Corrupt.
  static model::Result<Columns> open(const SectionFile& file);

  std::uint32_t documents() const noexcept { return static_cast<std::uint32_t>(updated_.size()); }

  /// Days since 1970-01-01.
  std::span<const std::int32_t> updated_days() const noexcept { return updated_; }

  /// Category ordinals, indexed by document.
  std::span<const std::uint32_t> categories() const noexcept { return categories_; }
  const NameTable& category_names() const noexcept { return category_names_; }

  /// Ordinals of a document's tags, without duplicates.
  std::span<const std::uint32_t> tags(std::uint32_t document) const noexcept {
    return tags_.subspan(tag_starts_[document], tag_starts_[document + 1] - tag_starts_[document]);
  }
  const NameTable& tag_names() const noexcept { return tag_names_; }

  /// Imported view counts.
  std::span<const std::uint64_t> views() const noexcept { return views_; }

  /// Document lengths in words, each weighted by its field.
  std::span<const std::uint32_t> lengths() const noexcept { return lengths_; }

  std::span<const std::uint8_t> languages() const noexcept { return languages_; }

  /// Prefetches a document's id, category and language; see Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  const IdTable& ids() const noexcept { return ids_; }

 private:
  Columns() = default;
  bool are_of_one_length() const noexcept;
  bool have_their_names() const noexcept;

  std::span<const std::int32_t> updated_;
  std::span<const std::uint32_t> categories_;
  std::span<const std::uint64_t> views_;
  std::span<const std::uint32_t> lengths_;
  std::span<const std::uint8_t> languages_;
  NameTable category_names_;
  std::span<const std::uint32_t> tags_;
  std::span<const std::uint32_t> tag_starts_;
  NameTable tag_names_;
  IdTable ids_;
};

}  // namespace kbase::native_index
