// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/store/store.hpp"
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

  /// The text of a document: of each, below their number, one, in any order. Those that are added one after the other
  /// lie together. Unsupported: it is longer than 1 GiB.
  model::Status add(std::uint32_t document, const StoredText& text);

  /// A block of another store as it is, with the documents of its texts.
  model::Status copy(const Store::Block& block, std::span<const std::uint32_t> documents);

  /// Of a block with so much text. One that is not half full is better added text by text.
  bool is_worth_copying(std::uint64_t text_bytes) const { return text_bytes * 2 >= options_.block_bytes; }

  /// Writes the last block and the table.
  model::Status finish();

 private:
  class Compressor;

  StoreWriter(SectionFileWriter& file, StoreOptions options);
  model::Status flush();
  model::Status append_block(std::string_view bytes, std::span<const std::uint32_t> documents);

  SectionFileWriter* file_;
  StoreOptions options_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::uint32_t> documents_;  // of the block that fills up
  std::string lengths_;
  std::string bytes_;
  std::string packed_;
  std::uint32_t texts_ = 0;  // in the blocks that are written
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> first_texts_;
  std::vector<std::uint32_t> texts_of_documents_;
};

}  // namespace kbase::native_index
