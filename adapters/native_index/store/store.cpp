// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/store/store.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <new>
#include <utility>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

/// Layout of the section of stored texts, used only by its writer and reader:
///
///   blocks  for each text that begins in the block the sizes of its details and content as varints; then details and
///           contents, alternating, compressed (absent if all are empty). A text longer than kBlockBytes begins a block
///           alone, which has its sizes and its first kBlockBytes bytes; each further block has the next bytes.
///   table   three columns of numbers: start of each block and end of the last one; number of the first text that
///   begins
///           in each block or later, and the number of texts; text number of each document
///   end     number of blocks u32, number of documents u32, bytes per number of each column u8, 5 zeros
///
/// Texts are numbered independently of documents, so that a merge can copy whole blocks even if the documents get new
/// numbers.

constexpr std::size_t kEndBytes = 16;
constexpr std::size_t kColumns = 3;
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 30;

Error corrupt_store_error(std::string_view what) { return corrupt_error("stored texts: " + std::string(what)); }

/// Location of a text in its block.
struct TextLocation {
  std::uint64_t begin = 0;
  std::uint64_t details_bytes = 0;
  std::uint64_t content_bytes = 0;
  std::uint64_t all_bytes = 0;  ///< of all texts of the block
  std::string_view packed;      ///< the compressed block

  std::uint64_t bytes() const { return details_bytes + content_bytes; }
};

/// Reads the lengths at the start of a block of `texts` texts. Only a text that is alone may be longer than a block.
bool locate_text(std::string_view block, std::uint32_t texts, std::uint32_t wanted, TextLocation& location) {
  const std::uint64_t limit = texts == 1 ? kMaxTextBytes : kBlockBytes;
  ByteReader lengths(block);
  for (std::uint32_t i = 0; i < texts; ++i) {
    const std::uint64_t details_bytes = lengths.varint();
    const std::uint64_t content_bytes = lengths.varint();
    if (lengths.failed() || details_bytes > limit || content_bytes > limit) return false;
    if (i == wanted) {
      location.begin = location.all_bytes;
      location.details_bytes = details_bytes;
      location.content_bytes = content_bytes;
    }
    location.all_bytes += details_bytes + content_bytes;
    if (location.all_bytes > limit) return false;
  }
  location.packed = lengths.bytes(lengths.remaining());
  return true;
}

}  // namespace

Result<Store> Store::open(std::span<const std::byte> section, std::span<const std::byte> dictionary) {
  const std::string_view bytes = as_text(section);
  if (bytes.size() < kEndBytes) return corrupt_store_error("the footer is missing");
  ByteReader end(bytes.substr(bytes.size() - kEndBytes));
  const std::uint64_t blocks = end.u32();
  const std::uint64_t documents = end.u32();
  const std::uint64_t sizes[kColumns] = {blocks + 1, blocks + 1, documents};
  std::uint64_t widths[kColumns];
  std::uint64_t table_bytes = kEndBytes;
  for (std::size_t i = 0; i < kColumns; ++i) {
    widths[i] = end.u8();
    if (widths[i] == 0 || widths[i] > sizeof(std::uint64_t)) return corrupt_store_error("a column has no valid width");
    table_bytes += sizes[i] * widths[i];
  }
  if (table_bytes > bytes.size()) return corrupt_store_error("the block table does not fit into the section");
  Store store;
  std::uint64_t at = bytes.size() - table_bytes;
  store.section_ = bytes.substr(0, at);
  NumberColumn* const columns[kColumns] = {&store.starts_, &store.first_texts_, &store.texts_};
  for (std::size_t i = 0; i < kColumns; at += sizes[i] * widths[i], ++i)
    *columns[i] = NumberColumn(bytes.substr(at, sizes[i] * widths[i]), sizes[i]);
  KBASE_TRY(store.check_tables());
  store.dictionary_ = TextDictionary::restore(as_text(dictionary));
  if (store.dictionary_ == nullptr && !dictionary.empty()) return corrupt_store_error("the dictionary is damaged");
  return store;
}

Status Store::check_tables() const {
  const std::size_t count = blocks();
  if (first_texts_[0] != 0 || starts_[count] > section_.size() ||
      first_texts_[count] > std::numeric_limits<std::uint32_t>::max())
    return corrupt_store_error("the block table does not match the blocks");
  for (std::size_t i = 1; i <= count; ++i)
    if (starts_[i] <= starts_[i - 1] || first_texts_[i] < first_texts_[i - 1])
      return corrupt_store_error("the blocks are out of order");
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < texts_.size(); ++i) largest = std::max(largest, texts_[i]);
  return texts_.size() == 0 || largest < texts() ? Status() : corrupt_store_error("some documents have no text");
}

Store::Block Store::block(std::size_t number) const noexcept {
  return {number, static_cast<std::uint32_t>(first_texts_[number]),
          static_cast<std::uint32_t>(first_texts_[number + 1]),
          section_.substr(starts_[number], starts_[number + 1] - starts_[number])};
}

/// Returns the last block whose first text is at most `text`.
Store::Block Store::find_block(std::uint32_t text) const noexcept {
  assert(text < texts());
  std::size_t begin = 0;
  for (std::size_t size = blocks(); size > 1;) {
    const std::size_t half = size / 2;
    begin += first_texts_[begin + half] <= text ? half : 0;
    size -= half;
  }
  return block(begin);
}

void Store::prefetch(std::uint32_t document) const noexcept {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLines = 8;  // the hardware prefetcher fetches the rest
  const std::string_view bytes = find_block(text_number(document)).bytes;
  for (std::size_t i = 0; i < std::min(bytes.size(), kLines * kLine); i += kLine) __builtin_prefetch(bytes.data() + i);
}

std::uint64_t Store::uncompressed_bytes(const Block& block) noexcept {
  TextLocation location;
  return locate_text(block.bytes, block.end_text - block.first_text, 0, location) ? location.all_bytes : 0;
}

Result<StoredText> StoreReader::read_text(std::uint32_t text) {
  const Store::Block block = store_->find_block(text);
  TextLocation location;
  if (text < block.first_text || text >= block.end_text ||
      !locate_text(block.bytes, block.end_text - block.first_text, text - block.first_text, location) ||
      location.all_bytes > (store_->blocks() - block.number) * kBlockBytes)
    return corrupt_store_error("a block has invalid lengths");
  if (block.number != block_) {
    block_ = kNone;
    KBASE_TRY(reserve(location.all_bytes));
    std::string_view packed = location.packed;
    for (std::size_t begin = 0, number = block.number; begin < location.all_bytes; begin += kBlockBytes) {
      KBASE_TRY(decompress(packed, begin, std::min<std::size_t>(kBlockBytes, location.all_bytes - begin)));
      packed = ++number < store_->blocks() ? store_->block(number).bytes : std::string_view();
    }
    if (location.all_bytes <= kBlockBytes) block_ = block.number;
  }
  const std::string_view bytes(text_.get() + location.begin, location.bytes());
  return StoredText{bytes.substr(0, location.details_bytes), bytes.substr(location.details_bytes)};
}

Status StoreReader::reserve(std::size_t size) {
  if (size <= capacity_) return {};
  capacity_ = 0;
  text_.reset(new (std::nothrow) char[size]);
  if (text_ == nullptr) return Error{ErrorCode::NoMemory, "There is not enough memory to read a stored text."};
  capacity_ = size;
  return {};
}

Status StoreReader::decompress(std::string_view packed, std::size_t begin, std::size_t size) {
  if (decompressor_.decompress(packed, store_->dictionary().get(), text_.get() + begin, size)) return {};
  return corrupt_store_error("a block cannot be decompressed");
}

/// Takes the beginnings of texts: one block for every `step_` of them.
void TextSampler::add(const StoredText& text) {
  skipped_ += text.bytes();
  const std::size_t size = std::min(text.bytes(), kBlockBytes);
  if (size == 0 || skipped_ < size * step_) return;
  skipped_ -= size * step_;
  const std::size_t details = std::min(text.details.size(), size);
  samples_.append(text.details.substr(0, details)).append(text.content.substr(0, size - details));
  sizes_.push_back(size);
}

StoreWriter::StoreWriter(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary, int level)
    : file_(&file), compressor_(std::make_unique<TextCompressor>(std::move(dictionary), level)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

Result<StoreWriter> StoreWriter::begin(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary,
                                       int level) {
  KBASE_TRY(file.begin(kStoreSection));
  return StoreWriter(file, std::move(dictionary), level);
}

Status StoreWriter::add(std::uint32_t document, const StoredText& text) {
  if (text.bytes() > kMaxTextBytes)
    return Error{ErrorCode::Unsupported, "An item is longer than 1 GiB. The search index cannot store it."};
  if (bytes_.size() + text.bytes() > kBlockBytes) KBASE_TRY(flush());
  ByteWriter lengths(lengths_);
  lengths.varint(text.details.size());
  lengths.varint(text.content.size());
  bytes_.append(text.details).append(text.content);
  documents_.push_back(document);
  return text.bytes() > kBlockBytes ? flush() : Status();
}

Status StoreWriter::copy(const Store::Block& block, std::span<const std::uint32_t> documents) {
  assert(documents.size() == block.end_text - block.first_text);
  KBASE_TRY(flush());
  return append_block(block.bytes, documents);
}

/// Writes the gathered texts: one block, or the blocks of one long text.
Status StoreWriter::flush() {
  if (documents_.empty()) return {};
  packed_ = lengths_;
  std::string_view rest = bytes_;
  std::span<const std::uint32_t> documents = documents_;
  do {
    const std::string_view piece = rest.substr(0, kBlockBytes);
    rest.remove_prefix(piece.size());
    if (!piece.empty()) compressor_->append_to(packed_, piece);
    KBASE_TRY(append_block(packed_, std::exchange(documents, {})));
    packed_.clear();
  } while (!rest.empty());
  documents_.clear();
  lengths_.clear();
  bytes_.clear();
  return {};
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
  const auto blocks = static_cast<std::uint32_t>(starts_.size());
  starts_.push_back(file_->section_bytes());
  first_texts_.push_back(texts_);
  std::string widths;
  for (const auto* const numbers : {&starts_, &first_texts_, &texts_of_documents_}) {
    const std::string column = NumberColumn::encode(*numbers);
    widths += static_cast<char>(numbers->empty() ? 1 : column.size() / numbers->size());
    KBASE_TRY(file_->append(column));
  }
  std::string end;
  ByteWriter writer(end);
  writer.u32(blocks);
  writer.u32(static_cast<std::uint32_t>(texts_));
  end.append(widths).resize(kEndBytes);
  KBASE_TRY(file_->append(end));
  KBASE_TRY(file_->begin(kTextDictionarySection));
  return compressor_->dictionary() == nullptr ? Status() : file_->append(compressor_->dictionary()->bytes());
}

}  // namespace kbase::native_index
