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
  /// Text bytes per block. Larger blocks are smaller on disk but slower to read: 16 KiB save a tenth and take 1.5 times
  /// as long.
  std::size_t block_bytes = 8 * 1024;
  /// 0: LZ4's fast compressor; 1 to 12: LZ4 HC at this level. Writing at level 4 takes twice as long as at 0 and saves
  /// a tenth; reading speed does not change.
  int level = 4;
};

/// Writes the section of stored texts; each block is written when it is full. Not thread-safe. The file must outlive
/// the writer, and no other section may begin before finish().
class StoreWriter {
 public:
  static model::Result<StoreWriter> begin(SectionFileWriter& file, StoreOptions options = {});

  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();

  /// Adds the text of a document. Every document number from 0 to n-1 must be added exactly once, in any order. Texts
  /// that are added consecutively are stored together. Errors: Unsupported if the text is longer than 1 GiB.
  model::Status add(std::uint32_t document, const StoredText& text);

  /// Copies a block of another store without recompressing it. `documents` are the new numbers of its texts' documents.
  model::Status copy(const Store::Block& block, std::span<const std::uint32_t> documents);

  /// Whether to copy() a block with `text_bytes` of text. If it is less than half full, add() its texts instead.
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
  std::vector<std::uint32_t> documents_;  // documents of the current block
  std::string lengths_;
  std::string bytes_;
  std::string packed_;
  std::uint32_t texts_ = 0;  // number of texts in the blocks already written
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> first_texts_;
  std::vector<std::uint32_t> texts_of_documents_;
};

}  // namespace kbase::native_index
