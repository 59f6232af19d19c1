// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/store.hpp"

#include <lz4.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/store/store_format.hpp"

namespace kbase::native_index {
namespace {

constexpr std::uint64_t kMaxExpansion = 255;  // LZ4's maximum expansion of one compressed byte
constexpr std::uint64_t kBlockTableBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

model::Error damaged_store(std::string_view what) {
  return damaged("the stored texts: " + std::string(what));
}

/// Location of a text in its decompressed block.
struct Place {
  std::uint64_t begin = 0;
  std::uint64_t title_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t block_bytes = 0;  ///< total size of the decompressed block
  std::string_view packed;        ///< the compressed block

  std::uint64_t end() const { return begin + title_bytes + content_bytes; }
};

/// Reads the lengths at the start of a block of `texts` texts. Lengths are limited to what the compressed bytes can
/// expand to, so sums do not overflow.
bool find_place(std::string_view block, std::uint32_t texts, std::uint32_t wanted, Place& place) {
  const std::uint64_t most = std::min<std::uint64_t>(block.size() * kMaxExpansion, std::numeric_limits<int>::max());
  ByteReader lengths(block);
  for (std::uint32_t i = 0; i < texts; ++i) {
    const std::uint64_t title_bytes = lengths.varint();
    const std::uint64_t content_bytes = lengths.varint();
    if (lengths.failed() || title_bytes > most || content_bytes > most) return false;
    if (i == wanted) {
      place.begin = place.block_bytes;
      place.title_bytes = title_bytes;
      place.content_bytes = content_bytes;
    }
    place.block_bytes += title_bytes + content_bytes;
    if (place.block_bytes > most) return false;
  }
  place.packed = lengths.bytes(lengths.remaining());
  return place.packed.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

}  // namespace

model::Result<Store> Store::open(std::span<const std::byte> section) {
  const std::string_view bytes = as_text(section);
  if (bytes.size() < kStoreEndBytes) return damaged_store("no end");
  const std::uint64_t blocks = load<std::uint32_t>(bytes.data() + bytes.size() - kStoreEndBytes);
  const std::uint64_t documents =
      load<std::uint32_t>(bytes.data() + bytes.size() - kStoreEndBytes + sizeof(std::uint32_t));
  const std::uint64_t table_bytes =
      (blocks + 1) * kBlockTableBytes + documents * sizeof(std::uint32_t) + kStoreEndBytes;
  const std::uint64_t table = bytes.size() - table_bytes;
  if (table_bytes > bytes.size() || table % sizeof(std::uint64_t) != 0) return damaged_store("no table");
  Store store;
  store.section_ = bytes.substr(0, table);
  store.begins_ = {reinterpret_cast<const std::uint64_t*>(bytes.data() + table), blocks + 1};
  store.first_texts_ = {reinterpret_cast<const std::uint32_t*>(store.begins_.data() + blocks + 1), blocks + 1};
  store.texts_ = {store.first_texts_.data() + blocks + 1, documents};
  if (const auto checked = store.check(); !checked) return checked.error();
  return store;
}

model::Status Store::check() const {
  if (first_texts_.front() != 0 || begins_.back() > section_.size()) return damaged_store("a table of another store");
  for (std::size_t i = 1; i < begins_.size(); ++i)
    if (begins_[i] <= begins_[i - 1] || first_texts_[i] <= first_texts_[i - 1])
      return damaged_store("blocks out of order");
  std::uint32_t largest = 0;
  for (const std::uint32_t text : texts_) largest = std::max(largest, text);
  return texts_.empty() || largest < texts() ? model::Status() : damaged_store("documents without text");
}

Store::Block Store::block(std::size_t number) const noexcept {
  return {number, first_texts_[number], first_texts_[number + 1],
          section_.substr(begins_[number], begins_[number + 1] - begins_[number])};
}

Store::Block Store::block_of(std::uint32_t text) const noexcept {
  assert(text < texts());
  const auto after = std::upper_bound(first_texts_.begin(), first_texts_.end(), text);
  return block(static_cast<std::size_t>(after - first_texts_.begin()) - 1);
}

void Store::prefetch(std::uint32_t document) const noexcept {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 4;  // the hardware prefetcher fetches the rest
  const std::string_view bytes = block_of(text_of(document)).bytes;
  for (std::size_t i = 0; i < std::min(bytes.size(), kLines * kLine); i += kLine) __builtin_prefetch(bytes.data() + i);
}

std::uint64_t Store::text_bytes(const Block& block) noexcept {
  Place place;
  return find_place(block.bytes, block.end_text - block.first_text, 0, place) ? place.block_bytes : 0;
}

model::Result<StoredText> StoreReader::read_text(std::uint32_t text) {
  const Store::Block block = store_->block_of(text);
  Place place;
  if (!find_place(block.bytes, block.end_text - block.first_text, text - block.first_text, place))
    return damaged_store("a block with impossible lengths");
  const bool is_same = block.number == block_;
  if (!is_same || place.end() > size_) {
    block_ = kNone;
    if (const auto done = decompress(place.packed, is_same ? place.block_bytes : place.end()); !done)
      return done.error();
    block_ = block.number;
  }
  const std::string_view both(text_.get() + place.begin, place.title_bytes + place.content_bytes);
  return StoredText{both.substr(0, place.title_bytes), both.substr(place.title_bytes)};
}

model::Status StoreReader::decompress(std::string_view packed, std::size_t size) {
  size_ = 0;
  if (size > capacity_) {
    capacity_ = 0;
    text_.reset(new (std::nothrow) char[size]);
    if (text_ == nullptr)
      return model::Error{model::ErrorCode::NoMemory, "There is no memory for a stored text.", {}, {}, {}};
    capacity_ = size;
  }
  if (size == 0) return {};
  const int done = LZ4_decompress_safe_partial(packed.data(), text_.get(), static_cast<int>(packed.size()),
                                               static_cast<int>(size), static_cast<int>(size));
  if (done != static_cast<int>(size)) return damaged_store("a block that cannot be decompressed");
  size_ = size;
  return {};
}

}  // namespace kbase::native_index
