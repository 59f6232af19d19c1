// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "domain/base/result.hpp"
#include "domain/model/ids.hpp"

namespace kbase::native_index {

/// A segment of a commit, and its deleted documents.
struct SegmentRecord {
  std::uint64_t number = 0;  ///< number in the file's name
  DocumentSet deleted;
};

/// Content of a commit. The manifest is the only file of the index that is ever replaced; replacement is atomic.
struct Manifest {
  std::string settings;  ///< all inputs besides the items that determine the content of the index
  model::StoreId store_id{};
  model::Revision revision = 0;
  float pivot = 1;  ///< pivot of the impacts; see ImpactScale
  std::uint64_t next_segment = 1;
  std::vector<SegmentRecord> segments;
};

/// Includes a checksum.
std::string encode_manifest(const Manifest& manifest);

/// Decodes untrusted bytes. Errors: Corrupt; Unsupported if the format is another one.
Result<Manifest> decode_manifest(std::span<const std::byte> bytes);

}  // namespace kbase::native_index
