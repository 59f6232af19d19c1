// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"

namespace kbase::native_index {

/// Gathers the ids of a segment in the encoding of IdTable until they are written. Not thread-safe.
class IdTableWriter {
 public:
  /// Appends an id of 1 to 256 bytes. Ids must come in ascending byte order, without duplicates.
  void add(std::string_view id);

  /// Writes the sections. Call once. `documents[i]` is the document of the ith id; together they are a permutation of
  /// 0..n-1. Errors: Unsupported if the ids take more than 4 GiB.
  model::Status write(SectionFileWriter& file, std::span<const std::uint32_t> documents);

 private:
  std::string blocks_;
  std::vector<std::uint32_t> starts_;
  std::string last_id_;
  std::uint32_t ids_ = 0;
};

}  // namespace kbase::native_index
