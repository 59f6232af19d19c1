// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/store/stored_text.hpp"

namespace kbase::native_index {

struct StoreOptions {
  /// Of text in one block. More is smaller on disk and slower to read: 16 KiB save a tenth and take half as long again.
  std::size_t block_bytes = 8 * 1024;
  /// 0: LZ4's fast compressor; 1 to 12: a level of LZ4 HC. Writing at 4 takes twice as long as at 0 and saves a tenth;
  /// reading takes no longer.
  int level = 4;
};

/// Writes the section of stored texts, block by block as they fill up. One thread. The file must outlive the writer,
/// and nobody else begins a section meanwhile.
class StoreWriter {
 public:
  static model::Result<StoreWriter> begin(SectionFileWriter& file, StoreOptions options = {});

  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();

  /// The text of the next document, from document 0 on. Unsupported: it is longer than 1 GiB.
  model::Status add(const StoredText& text);

  /// Writes the last block and the table.
  model::Status finish();

 private:
  class Compressor;

  StoreWriter(SectionFileWriter& file, StoreOptions options);
  model::Status flush();

  SectionFileWriter* file_;
  StoreOptions options_;
  std::unique_ptr<Compressor> compressor_;
  std::string lengths_;  // of the block that fills up
  std::string texts_;
  std::string packed_;
  std::uint32_t documents_ = 0;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> first_documents_;
};

}  // namespace kbase::native_index
