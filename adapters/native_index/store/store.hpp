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

/// The stored texts of a segment: a section that a StoreWriter wrote, which is a loan. Texts lie in blocks, numbered in
/// their order there; each document has one. Any thread; texts are read by a StoreReader.
class Store {
 public:
  /// Some texts that are compressed together.
  struct Block {
    std::size_t number;
    std::uint32_t first_text;
    std::uint32_t end_text;
    std::string_view bytes;
  };

  /// Reads the table alone. Corrupt.
  static model::Result<Store> open(std::span<const std::byte> section);

  std::uint32_t documents() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }
  std::uint32_t text_of(std::uint32_t document) const noexcept { return texts_[document]; }

  /// As Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  std::uint32_t texts() const noexcept { return first_texts_.back(); }
  std::size_t blocks() const noexcept { return begins_.size() - 1; }
  Block block(std::size_t number) const noexcept;

  /// Of all texts of a block, before they were compressed; 0 where it is damaged.
  static std::uint64_t text_bytes(const Block& block) noexcept;

 private:
  friend class StoreReader;

  Store() = default;
  model::Status check() const;
  Block block_of(std::uint32_t text) const noexcept;

  std::string_view section_;
  std::span<const std::uint64_t> begins_;       // of blocks + 1
  std::span<const std::uint32_t> first_texts_;  // as many
  std::span<const std::uint32_t> texts_;        // of documents
};

/// Reads texts of one store, which must outlive it, one thread at a time. Only as much of a block is decompressed as
/// the text needs; a second text of the same block makes it decompress the rest, so that reading all in order does so
/// at most twice. Keeps one block.
class StoreReader {
 public:
  explicit StoreReader(const Store& store) : store_(&store) {}

  /// Of a document below documents(). The views are good until the next call. Corrupt; NoMemory: for a very long text.
  model::Result<StoredText> read(std::uint32_t document) { return read_text(store_->text_of(document)); }

  /// By the text's own number, below texts().
  model::Result<StoredText> read_text(std::uint32_t text);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  model::Status decompress(std::string_view packed, std::size_t size);

  const Store* store_;
  std::unique_ptr<char[]> text_;
  std::size_t capacity_ = 0;
  std::size_t block_ = kNone;  // the one that text_ begins with
  std::size_t size_ = 0;       // what of it text_ holds
};

}  // namespace kbase::native_index
