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

/// Writes a new file of sections, one section at a time, in pieces of any size. Holds a buffer and the section table in
/// memory, not the sections. The destructor removes the file unless finish() succeeded. Not thread-safe. After an error
/// the object can only be destroyed.
class SectionFileWriter {
 public:
  /// `format` is the version of the content: readers open only their own version. `files` must outlive the writer.
  static model::Result<SectionFileWriter> create(Files& files, const std::filesystem::path& path, std::uint32_t format);

  SectionFileWriter(SectionFileWriter&&) noexcept;
  SectionFileWriter& operator=(SectionFileWriter&&) = delete;
  ~SectionFileWriter();

  /// Ends the current section and begins a new one. A file has at most one section of each kind.
  model::Status begin(SectionKind kind);

  /// Appends to the current section.
  model::Status append(std::string_view bytes);

  Files& files() const;
  const std::filesystem::path& path() const;

  /// Number of bytes in the current section.
  std::uint64_t section_bytes() const;

  /// Writes the table and syncs the file. Its name is durable only after Files::sync_folder().
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
