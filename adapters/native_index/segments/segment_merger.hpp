// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "domain/base/function_ref.hpp"

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
/// again.
///
/// Memory: about 50 bytes per document, the ids, 8 bytes per distinct text, and what a ListWriter holds; and of the
/// sources' files no more than one step reads, as they are released behind it. Searches of the sources load again what
/// they need.
///
/// Errors: Corrupt if a source is damaged (all of it is verified first, so that damage never gets a new checksum);
/// Cancelled if `stop`, which is called every few milliseconds, returns true.
Result<DocumentMap> merge_segments(std::span<const MergeSource> sources, SectionFileWriter& file,
                                   FunctionRef<bool()> stop);

// Steps of merge_segments; used only there and by a benchmark.

/// Calls `stop` once per kUnitsPerPoll units of work. A unit takes tens of nanoseconds.
class StopPoller {
 public:
  explicit StopPoller(FunctionRef<bool()> stop) : stop_(stop) {}

  static constexpr std::uint32_t kUnitsPerPoll = 4096;

  bool should_stop(std::uint32_t units = 1) {
    done_ += units;
    if (done_ < kUnitsPerPoll) return false;
    done_ = 0;
    return stop_();
  }

  FunctionRef<bool()> stop() const { return stop_; }

 private:
  FunctionRef<bool()> stop_;
  std::uint32_t done_ = 0;
};

using MergeSources = std::span<const MergeSource>;

/// Returns a Corrupt error that names the source's file.
Error corrupt_source_error(const MergeSource& source, std::string_view what);

/// Assigns the new document numbers; writes the columns and ids.
Result<DocumentMap> merge_documents(MergeSources sources, SectionFileWriter& file, StopPoller& stop_poller);

/// Writes the stored texts. Copies a block without recompression if all its documents are live and it is at least half
/// full.
Status merge_texts(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, StopPoller& stop_poller);

/// Releases the files of the sources.
void release(MergeSources sources);

/// Writes the postings, positions and dictionary sections.
Status merge_lists(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, StopPoller& stop_poller);

}  // namespace kbase::native_index
