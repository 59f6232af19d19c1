// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/columns/titles.hpp"
#include "adapters/native_index/dictionary/text_table.hpp"
#include "adapters/native_index/files/number_column.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"

/// Section layout of the columns, used only by their writers and readers. n: number of documents.
namespace kbase::native_index {

/// Sections of a name table: the names, sorted by their bytes; the start of each name and the end of the last one.
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
  NumberColumn starts_;
  std::string_view names_;
};

/// Gathers names in memory and numbers them in order of arrival. write() replaces these numbers by ordinals. Not
/// thread-safe.
class NameTableWriter {
 public:
  std::uint32_t add(std::string_view name) { return names_.add(name); }

  /// Writes the sections and replaces each of `numbers` by the name's ordinal in the table.
  Status write(SectionFileWriter& file, const NameSections& sections, std::vector<std::uint32_t>& numbers) const;

 private:
  TextTable names_;
};

/// Column values of one document, except its id.
struct ColumnValues {
  std::string_view category;
  std::span<const std::string_view> tags;  ///< without duplicates
  model::Day updated;
  std::uint64_t views = 0;  ///< imported view count
  std::uint8_t language = 0;
};

/// Gathers the columns in memory until they are written, about 21 bytes per document and 4 per tag. IdTableWriter
/// writes the ids, TitleTableWriter the titles. Not thread-safe.
class ColumnsWriter {
 public:
  /// Appends the next document, starting with document 0. Copies the values.
  void add(const ColumnValues& values);

  /// Writes the sections. Call once.
  Status write(SectionFileWriter& file);

 private:
  std::vector<std::uint32_t> updated_;
  std::vector<std::uint32_t> categories_;  // numbers in order of arrival; replaced by ordinals in write()
  std::vector<std::uint64_t> views_;
  std::vector<std::uint8_t> languages_;
  NameTableWriter category_names_;
  std::vector<std::uint32_t> tags_;  // also replaced in write()
  std::vector<std::uint32_t> tag_starts_{0};
  NameTableWriter tag_names_;
};

/// Buffer in which an id is assembled. The caller keeps it while it uses the id.
using IdBuffer = std::array<char, model::kMaxIdBytes>;

/// Gathers the ids of a segment in the encoding of IdTable until they are written. Not thread-safe.
class IdTableWriter {
 public:
  /// Appends an id of 1 to 256 bytes. Ids must come in ascending byte order, without duplicates.
  void add(std::string_view id);

  /// Writes the sections. Call once. `documents[i]` is the document of the ith id; together they are a permutation of
  /// 0..n-1.
  Status write(SectionFileWriter& file, std::span<const std::uint32_t> documents);

 private:
  std::string blocks_;
  std::vector<std::uint64_t> starts_;
  std::string last_id_;
  std::uint32_t ids_ = 0;
};

// Sections of numbers are NumberColumns with their widths, unless noted otherwise.

// Sections with n numbers each.
inline constexpr SectionKind kUpdatedSection = section_kind("updt");   // days since kFirstDay
inline constexpr SectionKind kCategorySection = section_kind("catg");  // ordinal of the category
inline constexpr SectionKind kViewsSection = section_kind("view");
inline constexpr SectionKind kLanguageSection = section_kind("lang");  // u8

/// 0000-01-01, as days since 1970-01-01: no day of an item is earlier.
inline constexpr std::int32_t kFirstDay = -719'528;

// The ordinals of all documents' tags; then the start of each document's tags and the end of the last one's.
inline constexpr SectionKind kTagSection = section_kind("tag.");
inline constexpr SectionKind kTagStartsSection = section_kind("tagb");

// The ids, sorted by their bytes, in blocks. Each id is stored as the number of bytes shared with the previous id of
// its block, the number of its own bytes (both varints), and its own bytes. Further sections: the start of each block
// and the end of the last one; the rank of each document's id; the document of each rank.
inline constexpr SectionKind kIdsSection = section_kind("ids.");
inline constexpr SectionKind kIdStartsSection = section_kind("idst");
inline constexpr SectionKind kIdRanksSection = section_kind("idrk");
inline constexpr SectionKind kIdDocumentsSection = section_kind("iddc");
inline constexpr std::size_t kIdsPerBlock = 16;

// Names that the category and tag ordinals refer to.
inline constexpr NameSections kCategoryNames = {section_kind("catn"), section_kind("cats")};
inline constexpr NameSections kTagNames = {section_kind("tagn"), section_kind("tags")};

inline constexpr SectionKind kColumnSections[] = {
    kUpdatedSection,   kCategorySection, kViewsSection,    kLanguageSection,     kTagSection,
    kTagStartsSection, kTagNames.names,  kTagNames.starts, kCategoryNames.names, kCategoryNames.starts,
    kIdsSection,       kIdStartsSection, kIdRanksSection,  kIdDocumentsSection,  kTitleSection};

inline Status write_section(SectionFileWriter& file, SectionKind kind, std::string_view bytes) {
  KBASE_TRY(file.begin(kind));
  return file.append(bytes);
}

template <class Numbers> Status write_numbers(SectionFileWriter& file, SectionKind kind, const Numbers& numbers) {
  return write_section(file, kind, NumberColumn::encode_with_width(numbers));
}

inline NumberColumn read_numbers(const SectionFile& file, SectionKind kind) {
  return NumberColumn::with_width(as_text(file.section(kind)));
}

/// Whether `starts` ascends from 0 to `bytes`: the start of each part, then the end of the last one.
bool is_partition(const NumberColumn& starts, std::size_t bytes);

bool are_all_below(const NumberColumn& numbers, std::size_t limit);

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

  /// Returns the rank of a document's id among all ids of the segment. Comparing ranks replaces comparing ids.
  std::uint32_t rank(std::uint32_t document) const noexcept { return static_cast<std::uint32_t>(ranks_[document]); }

 private:
  friend class IdCursor;
  std::string_view block(std::size_t number) const noexcept;
  std::string_view first_id_in_block(std::size_t number) const noexcept;

  std::string_view blocks_;
  NumberColumn starts_;  // one per block, and the end of the last block
  NumberColumn ranks_;
  NumberColumn documents_;  // indexed by rank
};

/// Columns of a segment, each indexed by document. Views into a file, which must outlive them. Thread-safe.
class Columns {
 public:
  /// Reads and checks all columns, so that later accesses need no checks; takes a few milliseconds for a million
  /// documents in the page cache. Errors: Corrupt.
  static Result<Columns> open(const SectionFile& file);

  std::uint32_t documents() const noexcept { return static_cast<std::uint32_t>(languages_.size()); }

  /// Days since 1970-01-01.
  std::int32_t updated_day(std::uint32_t document) const noexcept {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(updated_[document]) +
                                     static_cast<std::uint32_t>(kFirstDay));
  }

  /// Ordinal of a document's category.
  std::uint32_t category(std::uint32_t document) const noexcept {
    return static_cast<std::uint32_t>(categories_[document]);
  }
  const NameTable& category_names() const noexcept { return category_names_; }

  /// Visits the ordinals of a document's tags, without duplicates.
  template <class Visitor> void visit_tags(std::uint32_t document, const Visitor& visit) const {
    const std::uint64_t end = tag_starts_[document + 1];
    for (std::uint64_t i = tag_starts_[document]; i < end; ++i) visit(static_cast<std::uint32_t>(tags_[i]));
  }
  const NameTable& tag_names() const noexcept { return tag_names_; }

  /// Imported view counts.
  const NumberColumn& views() const noexcept { return views_; }

  std::span<const std::uint8_t> languages() const noexcept { return languages_; }

  /// Prefetches a document's id and language; see Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  const IdTable& ids() const noexcept { return ids_; }
  const TitleTable& titles() const noexcept { return titles_; }

 private:
  Columns() = default;
  bool have_equal_lengths() const noexcept;
  bool have_valid_ordinals() const noexcept;

  NumberColumn updated_;
  NumberColumn categories_;
  NumberColumn views_;
  std::span<const std::uint8_t> languages_;
  NameTable category_names_;
  NumberColumn tags_;
  NumberColumn tag_starts_;
  NameTable tag_names_;
  IdTable ids_;
  TitleTable titles_;
};

/// Iterates over the ids of a table, sorted by their bytes. The table's file must outlive it. Not thread-safe.
class IdCursor {
 public:
  explicit IdCursor(const IdTable& table) : table_(table) {}

  /// Moves to the next id; the first call moves to the first id. Returns false at the end, or if the rest is damaged.
  bool next() noexcept;

  std::string_view id() const noexcept { return {buffer_.data(), id_bytes_}; }  ///< valid until next()
  std::uint32_t document() const noexcept { return static_cast<std::uint32_t>(table_.documents_[next_rank_ - 1]); }
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
