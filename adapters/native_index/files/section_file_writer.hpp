// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_kind.hpp"

namespace kbase::native_index {

/// Writes a new file of sections, one after the other, each in pieces of any size: it holds a buffer and the table,
/// never a section. Without finish() the file is removed again. One thread. After an error only destruction is of use.
class SectionFileWriter {
 public:
  /// `format` is the version of what the sections hold: a reader opens none but its own. `files` must outlive the
  /// writer.
  static model::Result<SectionFileWriter> create(Files& files, const std::filesystem::path& path, std::uint32_t format);

  SectionFileWriter(SectionFileWriter&&) noexcept;
  SectionFileWriter& operator=(SectionFileWriter&&) = delete;
  ~SectionFileWriter();

  /// Ends the section before and begins this one; no two are of one kind.
  model::Status begin(SectionKind kind);

  /// Adds to the section that began last.
  model::Status append(std::string_view bytes);

  Files& files() const;
  const std::filesystem::path& path() const;

  /// The bytes of the section that began last.
  std::uint64_t section_bytes() const;

  /// Writes the table: everything is on the disk, under a name that Files::sync_folder makes durable.
  model::Status finish();

 private:
  struct State;
  explicit SectionFileWriter(std::unique_ptr<State> state);

  model::Status write(std::string_view bytes);
  model::Status flush();
  model::Status pad();
  void end_section();

  std::unique_ptr<State> state_;
};

}  // namespace kbase::native_index
