// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

inline constexpr SectionKind kStoreSection = section_kind("text");

/// Text that a hit shows in addition to its columns: the details (details.hpp), and the content from which excerpts are
/// cut.
struct StoredText {
  std::string_view details;
  std::string_view content;
};

/// Stored texts of a segment. A view of a section that StoreWriter wrote, which must outlive it. Each document has one
/// text; texts lie in blocks and are numbered in storage order. Thread-safe. StoreReader reads the texts.
class Store {
 public:
  /// Texts that are compressed together.
  struct Block {
    std::size_t number;
    std::uint32_t first_text;
    std::uint32_t end_text;
    std::string_view bytes;
  };

  /// Reads only the table. Errors: Corrupt.
  static Result<Store> open(std::span<const std::byte> section);

  std::uint32_t documents() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }
  std::uint32_t text_number(std::uint32_t document) const noexcept { return texts_[document]; }

  /// See Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  std::uint32_t texts() const noexcept { return first_texts_.back(); }
  std::size_t blocks() const noexcept { return starts_.size() - 1; }
  Block block(std::size_t number) const noexcept;

  /// Returns the uncompressed size of all texts of a block, or 0 if the block is damaged.
  static std::uint64_t uncompressed_bytes(const Block& block) noexcept;

 private:
  friend class StoreReader;

  Store() = default;
  Status check_tables() const;
  Block find_block(std::uint32_t text) const noexcept;

  std::string_view section_;
  std::span<const std::uint64_t> starts_;       // one per block, and the end of the last block
  std::span<const std::uint32_t> first_texts_;  // one per block, and the number of texts
  std::span<const std::uint32_t> texts_;        // text number of each document
};

/// Reads texts of one store, which must outlive it. Not thread-safe. Decompresses a block only as far as the requested
/// text; a second read of the same block decompresses it whole if needed. Reading all texts in order decompresses each
/// block at most twice. Caches one block.
class StoreReader {
 public:
  explicit StoreReader(const Store& store) : store_(&store) {}

  /// Reads the text of a document below documents(). The views are valid until the next call. Errors: Corrupt; NoMemory
  /// for a very long text.
  Result<StoredText> read(std::uint32_t document) { return read_text(store_->text_number(document)); }

  /// Reads a text by its own number, below texts().
  Result<StoredText> read_text(std::uint32_t text);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  Status decompress(std::string_view packed, std::size_t size);

  const Store* store_;
  std::unique_ptr<char[]> text_;
  std::size_t capacity_ = 0;
  std::size_t block_ = kNone;  // block in `text_`
  std::size_t size_ = 0;       // decompressed bytes of it in `text_`
};

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
  static Result<StoreWriter> begin(SectionFileWriter& file, StoreOptions options = {});

  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();

  /// Adds the text of a document. Every document number from 0 to n-1 must be added exactly once, in any order. Texts
  /// that are added consecutively are stored together. Errors: Unsupported if the text is longer than 1 GiB.
  Status add(std::uint32_t document, const StoredText& text);

  /// Copies a block of another store without recompressing it. `documents` are the new numbers of its texts' documents.
  Status copy(const Store::Block& block, std::span<const std::uint32_t> documents);

  /// Whether to copy() a block with `uncompressed_bytes` of text. If it is less than half full, add() its texts
  /// instead.
  bool is_worth_copying(std::uint64_t uncompressed_bytes) const {
    return uncompressed_bytes * 2 >= options_.block_bytes;
  }

  /// Writes the last block and the table.
  Status finish();

 private:
  class Compressor;

  StoreWriter(SectionFileWriter& file, StoreOptions options);
  Status flush();
  Status append_block(std::string_view bytes, std::span<const std::uint32_t> documents);

  SectionFileWriter* file_;
  StoreOptions options_;
  std::unique_ptr<Compressor> compressor_;
  std::vector<std::uint32_t> documents_;  // documents of the current block
  std::string lengths_;
  std::string bytes_;
  std::string packed_;
  std::uint32_t texts_ = 0;  // number of texts in the blocks already written
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint32_t> first_texts_;
  std::vector<std::uint32_t> texts_of_documents_;
};

}  // namespace kbase::native_index
