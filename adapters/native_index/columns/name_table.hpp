// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"

namespace kbase::native_index {

/// The sections of a name table: the names, in the order of their bytes; where each begins u32, and where the last one
/// ends.
struct NameSections {
  SectionKind names;
  SectionKind starts;
};

/// The names of a segment's categories, or tags, numbered in the order of their bytes: a view into a file, which must
/// outlive it. Any thread.
class NameTable {
 public:
  NameTable() = default;
  /// Corrupt: the names are not where they should be.
  static model::Result<NameTable> open(const SectionFile& file, const NameSections& sections);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::string_view name(std::uint32_t ordinal) const noexcept;

 private:
  std::span<const std::uint32_t> starts_;
  std::string_view names_;
};

/// Gathers names in memory, numbered as they come until they are written. One thread.
class NameTableWriter {
 public:
  std::uint32_t number_of(std::string_view name);

  /// Writes the sections, and makes the ordinals of the table of all `numbers`.
  model::Status write(SectionFileWriter& file, const NameSections& sections, std::vector<std::uint32_t>& numbers) const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace kbase::native_index
