// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"

namespace kbase::native_index {

/// Gathers the ids of a segment as its IdTable holds them, until they are written. One thread.
class IdTableWriter {
 public:
  /// The next id: of 1 to 256 bytes, behind the one before in the order of their bytes.
  void add(std::string_view id);

  /// Writes the sections, once. `documents` are those of the ids in turn, each number below their count once.
  /// Unsupported: the ids take more than 4 GiB.
  model::Status write(SectionFileWriter& file, std::span<const std::uint32_t> documents);

 private:
  std::string blocks_;
  std::vector<std::uint32_t> starts_;
  std::string last_id_;
  std::uint32_t ids_ = 0;
};

}  // namespace kbase::native_index
