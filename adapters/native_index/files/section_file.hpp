// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_kind.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::native_index {

/// A file of sections, mapped into memory and never changed. Whoever looks into a section keeps the file alive. Any
/// thread.
class SectionFile {
 public:
  /// Checks the table, not what the sections hold. NotFound; Corrupt; Unsupported: the file is of another format
  /// version.
  static model::Result<std::shared_ptr<const SectionFile>> open(Files& files, const std::filesystem::path& path,
                                                                std::uint32_t format);

  /// Begins at a multiple of 64; empty where the file has none of this kind.
  std::span<const std::byte> section(SectionKind kind) const noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }

  /// Of the file when it was opened; nullopt: it had just been removed.
  const std::optional<FileStamp>& stamp() const noexcept { return stamp_; }

  /// Of the whole file.
  std::uint64_t bytes() const noexcept { return file_->bytes().size(); }

  /// Reads every section, or this one where there is one. Corrupt: `detail` names the file and each section whose
  /// checksum is another.
  model::Status verify() const;
  model::Status verify(SectionKind kind) const;

  /// Reads every section, asking `stop` every few MiB. Corrupt, with the first section whose checksum is another;
  /// Cancelled.
  model::Status verify(model::FunctionRef<bool()> stop) const;

 private:
  struct Section {
    SectionKind kind;
    std::span<const std::byte> bytes;
    std::uint64_t checksum;
  };

  static bool is_sound(const Section& section) noexcept;
  model::Error damaged_sections(const std::string& names) const;

  SectionFile(std::filesystem::path path, const std::optional<FileStamp>& stamp, std::shared_ptr<const MappedFile> file,
              std::vector<Section> sections)
      : path_(std::move(path)), stamp_(stamp), file_(std::move(file)), sections_(std::move(sections)) {}

  std::filesystem::path path_;
  std::optional<FileStamp> stamp_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<Section> sections_;
};

}  // namespace kbase::native_index
