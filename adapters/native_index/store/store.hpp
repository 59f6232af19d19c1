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

/// The stored texts of a segment: a section that a StoreWriter wrote, which is a loan. Any thread; texts are read by a
/// StoreReader.
class Store {
 public:
  /// Reads the table alone. Corrupt.
  static model::Result<Store> open(std::span<const std::byte> section);

  std::uint32_t documents() const noexcept { return first_documents_.back(); }

 private:
  friend class StoreReader;
  struct Block {
    std::size_t number;
    std::uint32_t first_document;
    std::uint32_t end_document;
    std::string_view bytes;
  };

  Store() = default;
  model::Status check() const;
  Block block_of(std::uint32_t document) const noexcept;

  std::string_view section_;
  std::span<const std::uint64_t> begins_;           // of blocks + 1
  std::span<const std::uint32_t> first_documents_;  // as many
};

/// Reads texts of one store, which must outlive it, one thread at a time. Only as much of a block is decompressed as
/// the document needs; a second document of the same block makes it decompress the rest, so that reading all in order
/// does so at most twice. Keeps one block.
class StoreReader {
 public:
  explicit StoreReader(const Store& store) : store_(&store) {}

  /// Of a document below documents(). The views are good until the next call. Corrupt; NoMemory: for a very long text.
  model::Result<StoredText> read(std::uint32_t document);

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
