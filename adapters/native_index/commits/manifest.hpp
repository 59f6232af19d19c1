// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapters/native_index/commits/document_set.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/result.hpp"

namespace kbase::native_index {

/// A segment that a commit consists of, and its deleted documents.
struct SegmentRecord {
  std::uint64_t number = 0;  ///< names its file
  DocumentSet deleted;
};

/// What a commit consists of: the one file of the index that is ever replaced, in one step.
struct Manifest {
  std::string settings;  ///< everything beside the items that decides what the index holds
  model::StoreId store_id{};
  model::Revision revision = 0;
  float pivot = 1;  ///< of the impacts, see ImpactScale
  std::uint64_t next_segment = 1;
  std::vector<SegmentRecord> segments;
};

/// With a checksum.
std::string encoded(const Manifest& manifest);

/// Corrupt; Unsupported: of another format. `bytes` are trusted in nothing.
model::Result<Manifest> decoded_manifest(std::span<const std::byte> bytes);

}  // namespace kbase::native_index
