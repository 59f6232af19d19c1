// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::native_index {

/// Buffers a section while another section is being written. Keeps up to 1 MiB in memory and spools the rest to a file
/// named after the section file and the section kind. write() or the destructor removes that file. Not thread-safe. The
/// section writer must outlive it. After an error the object can only be destroyed.
class SpooledSection {
 public:
  SpooledSection(SectionFileWriter& file, SectionKind kind);
  SpooledSection(const SpooledSection&) = delete;
  SpooledSection& operator=(const SpooledSection&) = delete;
  ~SpooledSection();

  model::Status append(std::string_view bytes);

  /// Begins the section and moves all bytes into it. Call once. Calls `stop` every MiB. Errors: Cancelled if `stop`
  /// returns true.
  model::Status write(model::FunctionRef<bool()> stop);

 private:
  model::Status spool();
  model::Status copy_spooled(model::FunctionRef<bool()> stop);

  SectionFileWriter& file_;
  SectionKind kind_;
  std::string waiting_;
  std::filesystem::path path_;
  std::unique_ptr<NewFile> spooled_;  // bytes that are no longer in memory
  bool has_file_ = false;             // the file exists, or creating it failed
};

}  // namespace kbase::native_index
