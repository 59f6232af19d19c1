// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::native_index {

/// A section whose bytes come while another one is written. They wait in memory, and from a MiB on in a file beside
/// that of the sections, under its name and the section's; it is gone when write() returns or with the object. One
/// thread. The writer of the sections must outlive it. After an error only destruction is of use.
class SpooledSection {
 public:
  SpooledSection(SectionFileWriter& file, SectionKind kind);
  SpooledSection(const SpooledSection&) = delete;
  SpooledSection& operator=(const SpooledSection&) = delete;
  ~SpooledSection();

  model::Status append(std::string_view bytes);

  /// Begins the section and moves all bytes there, once. Cancelled, where `stop`, asked every MiB, says so.
  model::Status write(model::FunctionRef<bool()> stop);

 private:
  model::Status spool();
  model::Status copy_spooled(model::FunctionRef<bool()> stop);

  SectionFileWriter& file_;
  SectionKind kind_;
  std::string waiting_;
  std::filesystem::path path_;
  std::unique_ptr<NewFile> spooled_;  // what has no place in memory
  bool has_file_ = false;             // or may have one, where making it failed
};

}  // namespace kbase::native_index
