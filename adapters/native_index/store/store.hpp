// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "adapters/native_index/store/stored_text.hpp"
#include "domain/model/result.hpp"

namespace kbase::native_index {

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
  static model::Result<Store> open(std::span<const std::byte> section);

  std::uint32_t documents() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }
  std::uint32_t text_of(std::uint32_t document) const noexcept { return texts_[document]; }

  /// See Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  std::uint32_t texts() const noexcept { return first_texts_.back(); }
  std::size_t blocks() const noexcept { return begins_.size() - 1; }
  Block block(std::size_t number) const noexcept;

  /// Returns the uncompressed size of all texts of a block, or 0 if the block is damaged.
  static std::uint64_t text_bytes(const Block& block) noexcept;

 private:
  friend class StoreReader;

  Store() = default;
  model::Status check() const;
  Block block_of(std::uint32_t text) const noexcept;

  std::string_view section_;
  std::span<const std::uint64_t> begins_;       // one per block, and the end of the last block
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
  model::Result<StoredText> read(std::uint32_t document) { return read_text(store_->text_of(document)); }

  /// Reads a text by its own number, below texts().
  model::Result<StoredText> read_text(std::uint32_t text);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  model::Status decompress(std::string_view packed, std::size_t size);

  const Store* store_;
  std::unique_ptr<char[]> text_;
  std::size_t capacity_ = 0;
  std::size_t block_ = kNone;  // block in `text_`
  std::size_t size_ = 0;       // decompressed bytes of it in `text_`
};

}  // namespace kbase::native_index
