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
///           alone, which has its sizes and the first kBlockBytes bytes of its details; then follow blocks of its
///           further details, and blocks of its content, each of which begins with its PieceMark: twice the position,
///           plus 1 if it begins in a word, and the section, as varints.
///   table   three columns of numbers: start of each block and end of the last one; number of the first text that
///           begins in each block or later, and the number of texts; text number of each document
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

/// Blocks whose first texts lie in a few cache lines.
constexpr std::size_t kBlocksPerSample = 128;

PieceMark read_mark(ByteReader& reader) {
  const std::uint64_t position = reader.varint();
  const std::uint64_t section = reader.varint();
  return {static_cast<std::uint32_t>(position / 2), static_cast<std::uint32_t>(section), position % 2 != 0};
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
  store.sample_texts();
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

void Store::sample_texts() {
  samples_.reserve(blocks() / kBlocksPerSample + 1);
  for (std::size_t i = 0; i < blocks(); i += kBlocksPerSample)
    samples_.push_back(static_cast<std::uint32_t>(first_texts_[i]));
}

Store::Block Store::block(std::size_t number) const noexcept {
  return {number, static_cast<std::uint32_t>(first_texts_[number]),
          static_cast<std::uint32_t>(first_texts_[number + 1]),
          section_.substr(starts_[number], starts_[number + 1] - starts_[number])};
}

/// Returns the last block whose first text is at most `text`.
Store::Block Store::find_block(std::uint32_t text) const noexcept {
  assert(text < texts());
  const auto behind = std::upper_bound(samples_.begin(), samples_.end(), text);
  std::size_t begin = (static_cast<std::size_t>(behind - samples_.begin()) - 1) * kBlocksPerSample;
  for (std::size_t size = std::min(kBlocksPerSample, blocks() - begin); size > 1;) {
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

Status StoreReader::select_text(std::uint32_t text) {
  const Store::Block block = store_->find_block(text);
  TextLocation location;
  if (text < block.first_text || text >= block.end_text ||
      !locate_text(block.bytes, block.end_text - block.first_text, text - block.first_text, location))
    return corrupt_store_error("a block has invalid lengths");
  is_long_ = location.all_bytes > kBlockBytes;
  first_block_ = block.number;
  first_piece_ = location.packed;
  begin_ = location.begin;
  details_bytes_ = location.details_bytes;
  content_bytes_ = location.content_bytes;
  if (block.number == block_) return {};
  block_ = kNone;
  if (is_long_) {
    const std::size_t blocks = details_blocks() + pieces();
    if (blocks > store_->blocks() - block.number) return corrupt_store_error("a long text is incomplete");
    is_read_.assign(blocks, false);
    return reserve(location.all_bytes);
  }
  KBASE_TRY(reserve(location.all_bytes));
  if (location.all_bytes > 0) KBASE_TRY(decompress(location.packed, 0, location.all_bytes));
  block_ = block.number;
  return {};
}

Result<StoredText> StoreReader::read_text(std::uint32_t text) {
  KBASE_TRY(select_text(text));
  marks_.clear();
  for (std::size_t piece = 0; piece < pieces(); ++piece) {
    const auto mark = KBASE_TRY(this->mark(piece));
    marks_.push_back(mark);
  }
  const auto details = KBASE_TRY(this->details(0, details_bytes_));
  const auto content = KBASE_TRY(this->content(0, content_bytes_));
  return StoredText{details, content, marks_};
}

Result<PieceMark> StoreReader::mark(std::size_t piece) const {
  assert(piece < pieces());
  ByteReader reader(store_->block(first_block_ + details_blocks() + piece).bytes);
  const PieceMark mark = read_mark(reader);
  if (reader.failed() || mark.section > details_bytes_)
    return corrupt_store_error("a piece of a text has an invalid mark");
  return mark;
}

Result<std::string_view> StoreReader::details(std::size_t begin, std::size_t end) {
  assert(begin <= end && end <= details_bytes_);
  if (is_long_) KBASE_TRY(read_pieces(begin, end, begin_, details_bytes_, 0));
  return std::string_view(text_.get() + begin_ + begin, end - begin);
}

Result<std::string_view> StoreReader::content(std::size_t begin, std::size_t end) {
  assert(begin <= end && end <= content_bytes_);
  const std::size_t content = begin_ + details_bytes_;
  if (is_long_) KBASE_TRY(read_pieces(begin, end, content, content_bytes_, details_blocks()));
  return std::string_view(text_.get() + content + begin, end - begin);
}

/// Reads the pieces with the bytes [begin, end) of the details or the content, which are at `text_begin` and have
/// `text_bytes` in blocks from `first_block` of the text on.
Status StoreReader::read_pieces(std::size_t begin, std::size_t end, std::size_t text_begin, std::size_t text_bytes,
                                std::size_t first_block) {
  for (std::size_t at = begin / kBlockBytes * kBlockBytes; at < end; at += kBlockBytes) {
    const std::size_t block = first_block + at / kBlockBytes;
    if (is_read_[block]) continue;
    std::string_view packed = block == 0 ? first_piece_ : store_->block(first_block_ + block).bytes;
    if (block >= details_blocks()) {
      ByteReader reader(packed);
      read_mark(reader);
      packed = reader.bytes(reader.remaining());
    }
    KBASE_TRY(decompress(packed, text_begin + at, std::min(kBlockBytes, text_bytes - at)));
    is_read_[block] = true;
  }
  return {};
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
  if (decompressor_->decompress(packed, store_->dictionary().get(), text_.get() + begin, size)) return {};
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
  if (text.is_long()) return add_long(document, text);
  bytes_.append(text.details).append(text.content);
  documents_.push_back(document);
  return {};
}

Status StoreWriter::add_long(std::uint32_t document, const StoredText& text) {
  packed_ = std::exchange(lengths_, {});
  std::string_view details = text.details;
  std::span<const std::uint32_t> documents(&document, 1);
  do {
    KBASE_TRY(append_piece(details.substr(0, kBlockBytes), std::exchange(documents, {})));
    details.remove_prefix(std::min(details.size(), kBlockBytes));
  } while (!details.empty());
  for (std::size_t piece = 0; piece * kBlockBytes < text.content.size(); ++piece) {
    const PieceMark mark = piece < text.marks.size() ? text.marks[piece] : PieceMark{};
    ByteWriter writer(packed_);
    writer.varint(std::uint64_t{mark.position} * 2 + (mark.begins_in_word ? 1 : 0));
    writer.varint(mark.section);
    KBASE_TRY(append_piece(text.content.substr(piece * kBlockBytes, kBlockBytes), {}));
  }
  return {};
}

/// Writes a block with what `packed_` has, and the piece of text.
Status StoreWriter::append_piece(std::string_view piece, std::span<const std::uint32_t> documents) {
  if (!piece.empty()) compressor_->append_to(packed_, piece);
  KBASE_TRY(append_block(packed_, documents));
  packed_.clear();
  return {};
}

Status StoreWriter::copy(const Store::Block& block, std::span<const std::uint32_t> documents) {
  assert(documents.size() == block.end_text - block.first_text);
  KBASE_TRY(flush());
  return append_block(block.bytes, documents);
}

/// Writes the gathered short texts.
Status StoreWriter::flush() {
  if (documents_.empty()) return {};
  packed_ = lengths_;
  KBASE_TRY(append_piece(bytes_, documents_));
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
    widths += static_cast<char>(NumberColumn::width_of(column, numbers->size()));
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
