// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "adapters/native_index/files/section_kind.hpp"

namespace kbase::native_index {

/// Grows with every change of what a segment's file holds.
inline constexpr std::uint32_t kSegmentFormat = 3;

inline constexpr SectionKind kInfoSection = section_kind("info");  // the pivot of the impacts, f32
inline constexpr SectionKind kDictionarySection = section_kind("term");
inline constexpr SectionKind kPostingsSection = section_kind("post");
inline constexpr SectionKind kPositionsSection = section_kind("posi");

/// Before the names that are no words of texts, so that they have ranges of their own in the dictionary: the exact form
/// of a word whose stem is another text (impacts, no positions), and the documents of a category and of a tag.
inline constexpr char kExactMark = '\x01';
inline constexpr char kCategoryMark = '\x02';
inline constexpr char kTagMark = '\x03';

}  // namespace kbase::native_index
