// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "adapters/native_index/files/section_kind.hpp"

namespace kbase::native_index {

/// Incremented with every change of a segment file's content.
inline constexpr std::uint32_t kSegmentFormat = 3;

inline constexpr SectionKind kInfoSection = section_kind("info");  // pivot of the impacts, f32
inline constexpr SectionKind kDictionarySection = section_kind("term");
inline constexpr SectionKind kPostingsSection = section_kind("post");
inline constexpr SectionKind kPositionsSection = section_kind("posi");

/// First byte of dictionary terms that are not words of texts, so that each kind has its own range: the exact form of a
/// word whose stem is spelled differently (impacts, no positions), and the documents of a category or of a tag.
inline constexpr char kExactMark = '\x01';
inline constexpr char kCategoryMark = '\x02';
inline constexpr char kTagMark = '\x03';

}  // namespace kbase::native_index
