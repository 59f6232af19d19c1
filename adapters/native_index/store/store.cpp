// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/store.hpp"

#include <lz4.h>
#include <lz4hc.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <new>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

/// Layout of the section of stored texts, used only by its writer and reader:
///
///   blocks  per text the sizes of details and content as varints; then details and contents, alternating, as one LZ4
///           block (absent if all are empty)
///   zeros   up to a multiple of 8
///   table   start of each block and end of the last one, u64; first text number of each block and number of texts,
///           u32; text number of each document, u32
///   end     number of blocks u32, number of documents u32
///
/// The lengths are outside the LZ4 block, so that a reader knows how much of it to decompress. Texts are numbered
/// independently of documents, so that a merge can copy whole blocks even if the documents get new numbers.

inline constexpr std::size_t kStoreEndBytes = 8;

constexpr std::uint64_t kMaxExpansion = 255;  // LZ4's maximum expansion of one compressed byte
constexpr std::uint64_t kBlockTableBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

Error corrupt_store_error(std::string_view what) { return corrupt_error("stored texts: " + std::string(what)); }

/// Location of a text in its decompressed block.
struct TextLocation {
  std::uint64_t begin = 0;
  std::uint64_t details_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t block_bytes = 0;  ///< total size of the decompressed block
  std::string_view packed;        ///< the compressed block

  std::uint64_t end() const { return begin + details_bytes + content_bytes; }
};

/// Reads the lengths at the start of a block of `texts` texts. Lengths are limited to what the compressed bytes can
/// expand to, so sums do not overflow.
bool locate_text(std::string_view block, std::uint32_t texts, std::uint32_t wanted, TextLocation& location) {
  const std::uint64_t limit = std::min<std::uint64_t>(block.size() * kMaxExpansion, std::numeric_limits<int>::max());
  ByteReader lengths(block);
  for (std::uint32_t i = 0; i < texts; ++i) {
    const std::uint64_t details_bytes = lengths.varint();
    const std::uint64_t content_bytes = lengths.varint();
    if (lengths.failed() || details_bytes > limit || content_bytes > limit) return false;
    if (i == wanted) {
      location.begin = location.block_bytes;
      location.details_bytes = details_bytes;
      location.content_bytes = content_bytes;
    }
    location.block_bytes += details_bytes + content_bytes;
    if (location.block_bytes > limit) return false;
  }
  location.packed = lengths.bytes(lengths.remaining());
  return location.packed.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;  // LZ4 sizes are of type int
constexpr int kAcceleration = 1;                             // LZ4's default

}  // namespace

Result<Store> Store::open(std::span<const std::byte> section) {
  const std::string_view bytes = as_text(section);
  if (bytes.size() < kStoreEndBytes) return corrupt_store_error("the footer is missing");
  const std::uint64_t blocks = load<std::uint32_t>(bytes.data() + bytes.size() - kStoreEndBytes);
  const std::uint64_t documents =
      load<std::uint32_t>(bytes.data() + bytes.size() - kStoreEndBytes + sizeof(std::uint32_t));
  const std::uint64_t table_bytes =
      (blocks + 1) * kBlockTableBytes + documents * sizeof(std::uint32_t) + kStoreEndBytes;
  const std::uint64_t table = bytes.size() - table_bytes;
  if (table_bytes > bytes.size() || table % sizeof(std::uint64_t) != 0)
    return corrupt_store_error("the block table does not fit into the section");
  Store store;
  store.section_ = bytes.substr(0, table);
  store.starts_ = {reinterpret_cast<const std::uint64_t*>(bytes.data() + table), blocks + 1};
  store.first_texts_ = {reinterpret_cast<const std::uint32_t*>(store.starts_.data() + blocks + 1), blocks + 1};
  store.texts_ = {store.first_texts_.data() + blocks + 1, documents};
  KBASE_TRY(store.check_tables());
  return store;
}

Status Store::check_tables() const {
  if (first_texts_.front() != 0 || starts_.back() > section_.size())
    return corrupt_store_error("the block table does not match the blocks");
  for (std::size_t i = 1; i < starts_.size(); ++i)
    if (starts_[i] <= starts_[i - 1] || first_texts_[i] <= first_texts_[i - 1])
      return corrupt_store_error("the blocks are out of order");
  std::uint32_t largest = 0;
  for (const std::uint32_t text : texts_) largest = std::max(largest, text);
  return texts_.empty() || largest < texts() ? Status() : corrupt_store_error("some documents have no text");
}

Store::Block Store::block(std::size_t number) const noexcept {
  return {number, first_texts_[number], first_texts_[number + 1],
          section_.substr(starts_[number], starts_[number + 1] - starts_[number])};
}

Store::Block Store::find_block(std::uint32_t text) const noexcept {
  assert(text < texts());
  const auto after = std::upper_bound(first_texts_.begin(), first_texts_.end(), text);
  return block(static_cast<std::size_t>(after - first_texts_.begin()) - 1);
}

void Store::prefetch(std::uint32_t document) const noexcept {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 4;  // the hardware prefetcher fetches the rest
  const std::string_view bytes = find_block(text_number(document)).bytes;
  for (std::size_t i = 0; i < std::min(bytes.size(), kLines * kLine); i += kLine) __builtin_prefetch(bytes.data() + i);
}

std::uint64_t Store::uncompressed_bytes(const Block& block) noexcept {
  TextLocation location;
  return locate_text(block.bytes, block.end_text - block.first_text, 0, location) ? location.block_bytes : 0;
}

Result<StoredText> StoreReader::read_text(std::uint32_t text) {
  const Store::Block block = store_->find_block(text);
  TextLocation location;
  if (!locate_text(block.bytes, block.end_text - block.first_text, text - block.first_text, location))
    return corrupt_store_error("a block has invalid lengths");
  const bool is_same = block.number == block_;
  if (!is_same || location.end() > size_) {
    block_ = kNone;
    KBASE_TRY(decompress(location.packed, is_same ? location.block_bytes : location.end()));
    block_ = block.number;
  }
  const std::string_view bytes(text_.get() + location.begin, location.details_bytes + location.content_bytes);
  return StoredText{bytes.substr(0, location.details_bytes), bytes.substr(location.details_bytes)};
}

Status StoreReader::decompress(std::string_view packed, std::size_t size) {
  size_ = 0;
  if (size > capacity_) {
    capacity_ = 0;
    text_.reset(new (std::nothrow) char[size]);
    if (text_ == nullptr) return Error{ErrorCode::NoMemory, "There is not enough memory to read a stored text."};
    capacity_ = size;
  }
  if (size == 0) return {};
  const int decompressed = LZ4_decompress_safe_partial(packed.data(), text_.get(), static_cast<int>(packed.size()),
                                                       static_cast<int>(size), static_cast<int>(size));
  if (decompressed != static_cast<int>(size)) return corrupt_store_error("a block cannot be decompressed");
  size_ = size;
  return {};
}

/// Compresses independent blocks. Reuses one LZ4 stream, so that its tables are allocated once.
class StoreWriter::Compressor {
 public:
  explicit Compressor(int level) : level_(level) {
    if (level > 0)
      high_compression_.reset(LZ4_createStreamHC());
    else
      fast_stream_.reset(LZ4_createStream());
  }

  void append_to(std::string& packed, const std::string& text) {
    const std::size_t before = packed.size();
    const int bound = LZ4_compressBound(static_cast<int>(text.size()));
    packed.resize(before + static_cast<std::size_t>(bound));
    const int size = compress(text, packed.data() + before, bound);
    packed.resize(before + static_cast<std::size_t>(size));
  }

 private:
  struct Deleter {
    void operator()(LZ4_stream_t* stream) const { LZ4_freeStream(stream); }
    void operator()(LZ4_streamHC_t* stream) const { LZ4_freeStreamHC(stream); }
  };

  int compress(const std::string& text, char* target, int capacity) {
    const int size = static_cast<int>(text.size());
    if (fast_stream_ != nullptr) {
      LZ4_resetStream_fast(fast_stream_.get());
      return LZ4_compress_fast_continue(fast_stream_.get(), text.data(), target, size, capacity, kAcceleration);
    }
    LZ4_resetStreamHC_fast(high_compression_.get(), level_);
    return LZ4_compress_HC_continue(high_compression_.get(), text.data(), target, size, capacity);
  }

  int level_;
  std::unique_ptr<LZ4_stream_t, Deleter> fast_stream_;
  std::unique_ptr<LZ4_streamHC_t, Deleter> high_compression_;
};

StoreWriter::StoreWriter(SectionFileWriter& file, StoreOptions options)
    : file_(&file), options_(options), compressor_(std::make_unique<Compressor>(options.level)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

Result<StoreWriter> StoreWriter::begin(SectionFileWriter& file, StoreOptions options) {
  KBASE_TRY(file.begin(kStoreSection));
  return StoreWriter(file, options);
}

Status StoreWriter::add(std::uint32_t document, const StoredText& text) {
  const std::size_t size = text.details.size() + text.content.size();
  if (size > kMaxTextBytes)
    return Error{ErrorCode::Unsupported, "An item is longer than 1 GiB. The search index cannot store it."};
  if (bytes_.size() + size > options_.block_bytes) KBASE_TRY(flush());
  ByteWriter lengths(lengths_);
  lengths.varint(text.details.size());
  lengths.varint(text.content.size());
  bytes_.append(text.details).append(text.content);
  documents_.push_back(document);
  return {};
}

Status StoreWriter::copy(const Store::Block& block, std::span<const std::uint32_t> documents) {
  assert(documents.size() == block.end_text - block.first_text);
  return append_block(block.bytes, documents);
}

Status StoreWriter::flush() {
  if (documents_.empty()) return {};
  packed_ = lengths_;
  if (!bytes_.empty()) compressor_->append_to(packed_, bytes_);
  const auto appended = append_block(packed_, documents_);
  documents_.clear();
  lengths_.clear();
  bytes_.clear();
  return appended;
}

Status StoreWriter::append_block(std::string_view bytes, std::span<const std::uint32_t> documents) {
  starts_.push_back(file_->section_bytes());
  first_texts_.push_back(texts_);
  for (const std::uint32_t document : documents) {
    if (document >= texts_of_documents_.size()) texts_of_documents_.resize(std::size_t{document} + 1);
    texts_of_documents_[document] = texts_++;
  }
  return file_->append(bytes);
}

Status StoreWriter::finish() {
  KBASE_TRY(flush());
  assert(texts_ == texts_of_documents_.size());
  const std::uint64_t end = file_->section_bytes();
  std::string table;
  ByteWriter writer(table);
  table.resize((sizeof(std::uint64_t) - end % sizeof(std::uint64_t)) % sizeof(std::uint64_t));
  for (const std::uint64_t begin : starts_) writer.u64(begin);
  writer.u64(end);
  for (const std::uint32_t first : first_texts_) writer.u32(first);
  writer.u32(texts_);
  for (const std::uint32_t text : texts_of_documents_) writer.u32(text);
  writer.u32(static_cast<std::uint32_t>(starts_.size()));
  writer.u32(texts_);
  return file_->append(table);
}

}  // namespace kbase::native_index
