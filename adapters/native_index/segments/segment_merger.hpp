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

/// Input of a merge: a segment and its deleted documents. Both must outlive it.
struct MergeSource {
  const Segment* segment = nullptr;
  std::span<const std::uint64_t> deleted;  ///< one bit per document; documents past its end are live
};

inline constexpr std::uint32_t kNoDocument = ~std::uint32_t{0};

/// New number of each document, per source; kNoDocument for deleted ones.
using DocumentMap = std::vector<std::vector<std::uint32_t>>;

/// Merges the live documents of all sources, whose ids must differ, into the sections of one segment. The result equals
/// what a SegmentBuilder would write for the same items, except for the order of stored texts; nothing is analysed
/// again. If a source has another pivot than `scale`, its impacts are recomputed from the frequencies that they encode
/// (ImpactScale::frequency).
///
/// Memory: about 40 bytes per document, the ids, one posting list and the section tables.
///
/// Errors: Corrupt if a source is damaged (all of it is verified first, so that damage never gets a new checksum);
/// Cancelled if `stop`, which is called every few milliseconds, returns true.
model::Result<DocumentMap> merge_segments(std::span<const MergeSource> sources, const ImpactScale& scale,
                                          SectionFileWriter& file, model::FunctionRef<bool()> stop);

}  // namespace kbase::native_index
