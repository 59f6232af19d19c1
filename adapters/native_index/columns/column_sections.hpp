// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "adapters/native_index/columns/name_table.hpp"
#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"

/// The sections of the columns, for their writers and readers alone. n: documents.
namespace kbase::native_index {

// Of fixed width, n numbers each.
inline constexpr SectionKind kUpdatedSection = section_kind("updt");   // days since 1970-01-01, i32
inline constexpr SectionKind kCategorySection = section_kind("catg");  // ordinal of the category, u32
inline constexpr SectionKind kViewsSection = section_kind("view");     // u64
inline constexpr SectionKind kLengthSection = section_kind("leng");    // u32
inline constexpr SectionKind kLanguageSection = section_kind("lang");  // u8

// The ordinals of the documents' tags, u32, and where those of each document begin, u32, and where the last one's end.
inline constexpr SectionKind kTagSection = section_kind("tag.");
inline constexpr SectionKind kTagStartsSection = section_kind("tagb");

// What the ordinals are of.
inline constexpr NameSections kCategoryNames = {section_kind("catn"), section_kind("cats")};
inline constexpr NameSections kTagNames = {section_kind("tagn"), section_kind("tags")};

// The ids in the order of their bytes, in blocks: of each how many bytes it shares with the one before it in its block,
// the number of the others, and these, the numbers as varints; where each block begins u32, and where the last one
// ends; the rank of each document's id u32; the document of each rank u32.
inline constexpr SectionKind kIdsSection = section_kind("ids.");
inline constexpr SectionKind kIdStartsSection = section_kind("idst");
inline constexpr SectionKind kIdRanksSection = section_kind("idrk");
inline constexpr SectionKind kIdDocumentsSection = section_kind("iddc");
inline constexpr std::size_t kIdsPerBlock = 16;

inline constexpr SectionKind kColumnSections[] = {
    kUpdatedSection,       kCategorySection,  kViewsSection,    kLengthSection,   kLanguageSection,
    kTagSection,           kTagStartsSection, kTagNames.names,  kTagNames.starts, kCategoryNames.names,
    kCategoryNames.starts, kIdsSection,       kIdStartsSection, kIdRanksSection,  kIdDocumentsSection};

inline model::Status write_section(SectionFileWriter& file, SectionKind kind, std::string_view bytes) {
  if (const auto begun = file.begin(kind); !begun) return begun;
  return file.append(bytes);
}

template <class Number>
model::Status write_section(SectionFileWriter& file, SectionKind kind, const std::vector<Number>& numbers) {
  return write_section(file, kind, as_text(std::as_bytes(std::span(numbers))));
}

/// A section's numbers; sections are aligned for all of them. What is less than a number at the end is left out.
template <class Number>
std::span<const Number> numbers_of(const SectionFile& file, SectionKind kind) {
  const std::span<const std::byte> bytes = file.section(kind);
  return {reinterpret_cast<const Number*>(bytes.data()), bytes.size() / sizeof(Number)};
}

/// Whether they are where the parts of so many bytes begin, and at last where these end.
inline bool is_partition(std::span<const std::uint32_t> starts, std::size_t bytes) {
  return !starts.empty() && starts.front() == 0 && starts.back() == bytes &&
         std::is_sorted(starts.begin(), starts.end());
}

inline bool are_below(std::span<const std::uint32_t> numbers, std::size_t limit) {
  std::uint32_t largest = 0;
  for (const std::uint32_t number : numbers) largest = std::max(largest, number);
  return numbers.empty() || largest < limit;
}

}  // namespace kbase::native_index
