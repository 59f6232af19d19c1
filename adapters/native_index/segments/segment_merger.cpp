// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_merger.hpp"

#include <string>

#include "adapters/native_index/segments/merge_parts.hpp"
#include "adapters/native_index/segments/segment_info.hpp"

namespace kbase::native_index {

model::Error damaged_source(const MergeSource& source, std::string_view what) {
  return damaged(source.segment->file().path().string() + ": " + std::string(what));
}

model::Result<DocumentMap> merge_segments(std::span<const MergeSource> sources, const ImpactScale& scale,
                                          SectionFileWriter& file, model::FunctionRef<bool()> stop) {
  for (const MergeSource& source : sources)
    if (const auto verified = source.segment->file().verify(stop); !verified) return verified.error();
  Timeout timeout(stop);
  if (const auto written = write_info(file, scale); !written) return written.error();
  auto map = merge_documents(sources, file, timeout);
  if (!map) return map.error();
  if (const auto written = merge_texts(sources, *map, file, timeout); !written) return written.error();
  if (const auto written = merge_lists(sources, *map, scale, file, timeout); !written) return written.error();
  return map;
}

}  // namespace kbase::native_index
