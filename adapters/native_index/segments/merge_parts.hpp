// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "adapters/native_index/segments/segment_merger.hpp"

/// The steps of merge_segments, for it alone.
namespace kbase::native_index {

/// Asks whether to stop once for each so much work, a unit of which takes tens of nanoseconds.
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

/// Corrupt, naming the source's file.
model::Error damaged_source(const MergeSource& source, std::string_view what);

/// Numbers the documents; writes the columns and the ids.
model::Result<DocumentMap> merge_documents(MergeSources sources, SectionFileWriter& file, Timeout& timeout);

/// Writes the stored texts: blocks all of whose documents live are copied as they are.
model::Status merge_texts(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, Timeout& timeout);

/// Writes the postings, the positions and the terms.
model::Status merge_lists(MergeSources sources, const DocumentMap& map, const ImpactScale& scale,
                          SectionFileWriter& file, Timeout& timeout);

}  // namespace kbase::native_index
