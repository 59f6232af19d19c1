// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/section_file.hpp"

/// Section layout of the columns, used only by their writers and readers. n: number of documents.
namespace kbase::native_index {

// Fixed-width sections with n numbers each.
inline constexpr SectionKind kUpdatedSection = section_kind("updt");   // days since 1970-01-01, i32
inline constexpr SectionKind kCategorySection = section_kind("catg");  // ordinal of the category, u32
inline constexpr SectionKind kViewsSection = section_kind("view");     // u64
inline constexpr SectionKind kLengthSection = section_kind("leng");    // u32
inline constexpr SectionKind kLanguageSection = section_kind("lang");  // u8

// The ordinals of all documents' tags, u32; then the start of each document's tags and the end of the last one's, u32.
inline constexpr SectionKind kTagSection = section_kind("tag.");
inline constexpr SectionKind kTagStartsSection = section_kind("tagb");

// Names that the category and tag ordinals refer to.
inline constexpr NameSections kCategoryNames = {section_kind("catn"), section_kind("cats")};
inline constexpr NameSections kTagNames = {section_kind("tagn"), section_kind("tags")};

// The ids, sorted by their bytes, in blocks. Each id is stored as the number of bytes shared with the previous id of
// its block, the number of its own bytes (both varints), and its own bytes. Further sections: the start of each block
// and the end of the last one, u32; the rank of each document's id, u32; the document of each rank, u32.
inline constexpr SectionKind kIdsSection = section_kind("ids.");
inline constexpr SectionKind kIdStartsSection = section_kind("idst");
inline constexpr SectionKind kIdRanksSection = section_kind("idrk");
inline constexpr SectionKind kIdDocumentsSection = section_kind("iddc");
inline constexpr std::size_t kIdsPerBlock = 16;

inline constexpr SectionKind kColumnSections[] = {
    kUpdatedSection,       kCategorySection,  kViewsSection,    kLengthSection,   kLanguageSection,
    kTagSection,           kTagStartsSection, kTagNames.names,  kTagNames.starts, kCategoryNames.names,
    kCategoryNames.starts, kIdsSection,       kIdStartsSection, kIdRanksSection,  kIdDocumentsSection};

inline Status write_section(SectionFileWriter& file, SectionKind kind, std::string_view bytes) {
  if (const auto begun = file.begin(kind); !begun) return begun;
  return file.append(bytes);
}

template <class Number>
Status write_section(SectionFileWriter& file, SectionKind kind, const std::vector<Number>& numbers) {
  return write_section(file, kind, as_text(std::as_bytes(std::span(numbers))));
}

/// Returns a section as numbers. Sections are aligned for every number type; a trailing partial number is ignored.
template <class Number>
std::span<const Number> read_numbers(const SectionFile& file, SectionKind kind) {
  const std::span<const std::byte> bytes = file.section(kind);
  return {reinterpret_cast<const Number*>(bytes.data()), bytes.size() / sizeof(Number)};
}

/// Whether `starts` ascends from 0 to `bytes`: the start of each part, then the end of the last one.
inline bool is_partition(std::span<const std::uint32_t> starts, std::size_t bytes) {
  return !starts.empty() && starts.front() == 0 && starts.back() == bytes &&
         std::is_sorted(starts.begin(), starts.end());
}

inline bool are_all_below(std::span<const std::uint32_t> numbers, std::size_t limit) {
  std::uint32_t largest = 0;
  for (const std::uint32_t number : numbers) largest = std::max(largest, number);
  return numbers.empty() || largest < limit;
}

}  // namespace kbase::native_index
