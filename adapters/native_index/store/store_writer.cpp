// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/store_writer.hpp"

#include <lz4.h>
#include <lz4hc.h>

#include <cassert>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/store/store_format.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;  // LZ4 sizes are of type int
constexpr int kAcceleration = 1;                             // LZ4's default

}  // namespace

/// Compresses independent blocks. Reuses one LZ4 stream, so that its tables are allocated once.
class StoreWriter::Compressor {
 public:
  explicit Compressor(int level) : level_(level) {
    if (level > 0)
      careful_.reset(LZ4_createStreamHC());
    else
      fast_.reset(LZ4_createStream());
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
    if (fast_ != nullptr) {
      LZ4_resetStream_fast(fast_.get());
      return LZ4_compress_fast_continue(fast_.get(), text.data(), target, size, capacity, kAcceleration);
    }
    LZ4_resetStreamHC_fast(careful_.get(), level_);
    return LZ4_compress_HC_continue(careful_.get(), text.data(), target, size, capacity);
  }

  int level_;
  std::unique_ptr<LZ4_stream_t, Deleter> fast_;
  std::unique_ptr<LZ4_streamHC_t, Deleter> careful_;
};

StoreWriter::StoreWriter(SectionFileWriter& file, StoreOptions options)
    : file_(&file), options_(options), compressor_(std::make_unique<Compressor>(options.level)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

model::Result<StoreWriter> StoreWriter::begin(SectionFileWriter& file, StoreOptions options) {
  if (const auto begun = file.begin(kStoreSection); !begun) return begun.error();
  return StoreWriter(file, options);
}

model::Status StoreWriter::add(std::uint32_t document, const StoredText& text) {
  const std::size_t size = text.title.size() + text.content.size();
  if (size > kMaxTextBytes)
    return model::Error{
        model::ErrorCode::Unsupported, "An item is longer than 1 GiB: the search index takes none.", {}, {}, {}};
  if (bytes_.size() + size > options_.block_bytes)
    if (const auto flushed = flush(); !flushed) return flushed;
  ByteWriter lengths(lengths_);
  lengths.varint(text.title.size());
  lengths.varint(text.content.size());
  bytes_.append(text.title).append(text.content);
  documents_.push_back(document);
  return {};
}

model::Status StoreWriter::copy(const Store::Block& block, std::span<const std::uint32_t> documents) {
  assert(documents.size() == block.end_text - block.first_text);
  return append_block(block.bytes, documents);
}

model::Status StoreWriter::flush() {
  if (documents_.empty()) return {};
  packed_ = lengths_;
  if (!bytes_.empty()) compressor_->append_to(packed_, bytes_);
  const auto appended = append_block(packed_, documents_);
  documents_.clear();
  lengths_.clear();
  bytes_.clear();
  return appended;
}

model::Status StoreWriter::append_block(std::string_view bytes, std::span<const std::uint32_t> documents) {
  begins_.push_back(file_->section_bytes());
  first_texts_.push_back(texts_);
  for (const std::uint32_t document : documents) {
    if (document >= texts_of_documents_.size()) texts_of_documents_.resize(std::size_t{document} + 1);
    texts_of_documents_[document] = texts_++;
  }
  return file_->append(bytes);
}

model::Status StoreWriter::finish() {
  if (const auto flushed = flush(); !flushed) return flushed;
  assert(texts_ == texts_of_documents_.size());
  const std::uint64_t end = file_->section_bytes();
  std::string table;
  ByteWriter writer(table);
  table.resize((sizeof(std::uint64_t) - end % sizeof(std::uint64_t)) % sizeof(std::uint64_t));
  for (const std::uint64_t begin : begins_) writer.u64(begin);
  writer.u64(end);
  for (const std::uint32_t first : first_texts_) writer.u32(first);
  writer.u32(texts_);
  for (const std::uint32_t text : texts_of_documents_) writer.u32(text);
  writer.u32(static_cast<std::uint32_t>(begins_.size()));
  writer.u32(texts_);
  return file_->append(table);
}

}  // namespace kbase::native_index
