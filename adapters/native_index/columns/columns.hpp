// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/columns/id_table.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/model/day.hpp"

namespace kbase::native_index {

/// Sections of a name table: the names, sorted by their bytes; the start of each name and the end of the last one, u32.
struct NameSections {
  SectionKind names;
  SectionKind starts;
};

/// Names of a segment's categories or tags. Ordinals follow the byte order of the names. A view into a file, which must
/// outlive it. Thread-safe.
class NameTable {
 public:
  NameTable() = default;
  /// Errors: Corrupt if the starts do not match the names.
  static Result<NameTable> open(const SectionFile& file, const NameSections& sections);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::string_view name(std::uint32_t ordinal) const noexcept;

 private:
  std::span<const std::uint32_t> starts_;
  std::string_view names_;
};

/// Gathers names in memory and numbers them in order of arrival. write() replaces these numbers by ordinals. Not
/// thread-safe.
class NameTableWriter {
 public:
  std::uint32_t add(std::string_view name);

  /// Writes the sections and replaces each of `numbers` by the name's ordinal in the table.
  Status write(SectionFileWriter& file, const NameSections& sections, std::vector<std::uint32_t>& numbers) const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

/// Columns of a segment, each indexed by document. Views into a file, which must outlive them. Thread-safe.
class Columns {
 public:
  /// Reads and checks all columns, so that later accesses need no checks; takes a few milliseconds for a million
  /// documents in the page cache. Errors: Corrupt.
  static Result<Columns> open(const SectionFile& file);

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
  bool have_equal_lengths() const noexcept;
  bool have_valid_ordinals() const noexcept;

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

/// Column values of one document, except its id.
struct ColumnValues {
  std::string_view category;
  std::span<const std::string_view> tags;  ///< without duplicates
  model::Day updated;
  std::uint64_t views = 0;  ///< imported view count
  std::uint8_t language = 0;
  std::uint32_t length = 0;  ///< in words, each weighted by its field
};

/// Gathers the columns in memory until they are written, about 25 bytes per document and 4 per tag. Ids are written by
/// IdTableWriter. Not thread-safe.
class ColumnsWriter {
 public:
  /// Appends the next document, starting with document 0. Copies the values.
  void add(const ColumnValues& values);

  /// Writes the sections. Call once.
  Status write(SectionFileWriter& file);

 private:
  std::vector<std::int32_t> updated_;
  std::vector<std::uint32_t> categories_;  // numbers in order of arrival; replaced by ordinals in write()
  std::vector<std::uint64_t> views_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint8_t> languages_;
  NameTableWriter category_names_;
  std::vector<std::uint32_t> tags_;  // also replaced in write()
  std::vector<std::uint32_t> tag_starts_{0};
  NameTableWriter tag_names_;
};

}  // namespace kbase::native_index
