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

/// Sections of a name table: the names, sorted by their bytes; the start of each name and the end of the last one, u32.
struct NameSections {
  SectionKind names;
  SectionKind starts;
};

/// Names of a segment's categories or tags. Ordinals follow the byte order of the names. A view into a file, which must
/// outlive it. Thread-safe.
class NameTable {
 public:
  NameTable() = default;
  /// Errors: Corrupt if the starts do not match the names.
  static model::Result<NameTable> open(const SectionFile& file, const NameSections& sections);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(starts_.size() - 1); }
  std::string_view name(std::uint32_t ordinal) const noexcept;

 private:
  std::span<const std::uint32_t> starts_;
  std::string_view names_;
};

/// Gathers names in memory and numbers them in order of arrival. write() replaces these numbers by ordinals. Not
/// thread-safe.
class NameTableWriter {
 public:
  std::uint32_t number_of(std::string_view name);

  /// Writes the sections and replaces each of `numbers` by the name's ordinal in the table.
  model::Status write(SectionFileWriter& file, const NameSections& sections, std::vector<std::uint32_t>& numbers) const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace kbase::native_index
