// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::native_index {

/// What a merge takes of one segment; both outlive it.
struct MergeSource {
  const Segment* segment = nullptr;
  std::span<const std::uint64_t> deleted;  ///< a bit for each document; those past its end are not deleted
};

inline constexpr std::uint32_t kNoDocument = ~std::uint32_t{0};

/// The new numbers of each source's documents; kNoDocument for deleted ones.
using DocumentMap = std::vector<std::vector<std::uint32_t>>;

/// Writes the sections of one segment with the documents of all sources that are not deleted, whose ids differ. It is
/// the segment that a SegmentBuilder would make of their items, but for the order of its stored texts; nothing is
/// analysed again. Where a source's pivot is another than the scale's, its impacts are made anew from the frequencies
/// that they tell (ImpactScale::frequency).
///
/// Holds some 40 bytes a document, their ids, one list of postings and the tables of the sections.
///
/// Corrupt: a source is damaged; all of it is checked, so that no damage gets a new checksum. Cancelled: `stop` said
/// so, which is asked every few milliseconds.
model::Result<DocumentMap> merge_segments(std::span<const MergeSource> sources, const ImpactScale& scale,
                                          SectionFileWriter& file, model::FunctionRef<bool()> stop);

}  // namespace kbase::native_index
