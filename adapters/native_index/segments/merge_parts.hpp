// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adapters/native_index/segments/segment_merger.hpp"

/// Steps of merge_segments; used only there.
namespace kbase::native_index {

/// Calls `stop` once per kWork units of work. A unit takes tens of nanoseconds.
class Timeout {
 public:
  explicit Timeout(model::FunctionRef<bool()> stop) : stop_(stop) {}

  static constexpr std::uint32_t kWork = 4096;

  bool is_over(std::uint32_t work = 1) {
    done_ += work;
    if (done_ < kWork) return false;
    done_ = 0;
    return stop_();
  }

  model::FunctionRef<bool()> stop() const { return stop_; }

 private:
  model::FunctionRef<bool()> stop_;
  std::uint32_t done_ = 0;
};

using MergeSources = std::span<const MergeSource>;

/// Returns a Corrupt error that names the source's file.
model::Error damaged_source(const MergeSource& source, std::string_view what);

/// Assigns the new document numbers; writes the columns and ids.
model::Result<DocumentMap> merge_documents(MergeSources sources, SectionFileWriter& file, Timeout& timeout);

/// Writes the stored texts. Copies a block without recompression if all its documents are live and it is at least half
/// full.
model::Status merge_texts(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, Timeout& timeout);

/// Writes the postings, positions and dictionary sections.
model::Status merge_lists(MergeSources sources, const DocumentMap& map, const ImpactScale& scale,
                          SectionFileWriter& file, Timeout& timeout);

}  // namespace kbase::native_index
