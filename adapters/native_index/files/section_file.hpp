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

/// An immutable file of sections, mapped into memory. Keep it alive while you use a view of a section. Thread-safe.
class SectionFile {
 public:
  /// Checks the section table, not the sections. Errors: NotFound; Corrupt; Unsupported if the file has another format
  /// version.
  static model::Result<std::shared_ptr<const SectionFile>> open(Files& files, const std::filesystem::path& path,
                                                                std::uint32_t format);

  /// Returns a section, aligned to 64 bytes, or an empty span if the file has no section of this kind.
  std::span<const std::byte> section(SectionKind kind) const noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }

  /// Stamp of the file when it was opened; nullopt if it was removed at that moment.
  const std::optional<FileStamp>& stamp() const noexcept { return stamp_; }

  /// Size of the whole file.
  std::uint64_t bytes() const noexcept { return file_->bytes().size(); }

  /// Verifies the checksums of all sections, or of one section if it exists. Errors: Corrupt; `detail` names the file
  /// and each damaged section.
  model::Status verify() const;
  model::Status verify(SectionKind kind) const;

  /// Verifies the checksums of all sections and calls `stop` every few MiB. Errors: Corrupt for the first damaged
  /// section; Cancelled if `stop` returns true.
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
