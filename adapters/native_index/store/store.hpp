// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/native_index/files/number_column.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/store/text_dictionary.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {

inline constexpr SectionKind kStoreSection = section_kind("text");
inline constexpr SectionKind kTextDictionarySection = section_kind("tdic");  // see TextDictionary; empty: none

/// Bytes of text that are compressed together: one or more texts, or a piece of a longer one. Blocks of 2 KiB save 4 %
/// and take 1.7 times as long to read.
inline constexpr std::size_t kBlockBytes = 1024;

/// What precedes a piece of a long content, so that a hit reads only the pieces of its excerpt.
struct PieceMark {
  std::uint32_t position = 0;  ///< below 2^31: of the first word that begins in the piece or later
  std::uint32_t section = 0;   ///< see SectionOffsets::at()
  bool begins_in_word = false;

  bool operator==(const PieceMark&) const = default;
};

/// Text that a hit shows in addition to its columns: the details (details.hpp), and the content from which excerpts are
/// cut.
struct StoredText {
  std::string_view details;
  std::string_view content;
  std::span<const PieceMark> marks = {};  ///< of each piece of a long text; missing ones are 0

  std::size_t bytes() const { return details.size() + content.size(); }
  bool is_long() const { return bytes() > kBlockBytes; }
};

/// Stored texts of a segment. A view of sections that StoreWriter wrote, which must outlive it. Each document has one
/// text; texts lie in blocks and are numbered in storage order. Thread-safe. StoreReader reads the texts.
class Store {
 public:
  /// Texts that are compressed together, or a piece of a text that is longer than kBlockBytes.
  struct Block {
    std::size_t number;
    std::uint32_t first_text;  ///< texts that begin in the block
    std::uint32_t end_text;    ///< equal to the first: a further piece of the text before
    std::string_view bytes;
  };

  /// Reads only the table. Errors: Corrupt.
  static Result<Store> open(std::span<const std::byte> section, std::span<const std::byte> dictionary);

  std::uint32_t documents() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }
  std::uint32_t text_number(std::uint32_t document) const noexcept {
    return static_cast<std::uint32_t>(texts_[document]);
  }

  /// See Segment::prefetch().
  void prefetch(std::uint32_t document) const noexcept;

  std::uint32_t texts() const noexcept { return static_cast<std::uint32_t>(first_texts_[blocks()]); }
  std::size_t blocks() const noexcept { return starts_.size() - 1; }
  Block block(std::size_t number) const noexcept;

  /// Returns the uncompressed size of all texts that begin in a block, or 0 if the block is damaged.
  static std::uint64_t uncompressed_bytes(const Block& block) noexcept;

  /// The dictionary of the blocks; null: none.
  const std::shared_ptr<const TextDictionary>& dictionary() const noexcept { return dictionary_; }

 private:
  friend class StoreReader;

  Store() = default;
  Status check_tables() const;
  void sample_texts();
  Block find_block(std::uint32_t text) const noexcept;

  std::string_view section_;
  NumberColumn starts_;                 // one per block, and the end of the last block
  NumberColumn first_texts_;            // one per block, and the number of texts
  NumberColumn texts_;                  // text number of each document
  std::vector<std::uint32_t> samples_;  // first texts of every kBlocksPerSample blocks
  std::shared_ptr<const TextDictionary> dictionary_;
};

/// Reads texts of one store, which must outlive it. Not thread-safe. Keeps the last text, and the block of short texts
/// that it is in. Views of a text are valid until the next text is read.
class StoreReader {
 public:
  /// A decompressor takes 160 KiB and microseconds to make, so share one between readers of one thread.
  explicit StoreReader(const Store& store,
                       std::shared_ptr<TextDecompressor> decompressor = std::make_shared<TextDecompressor>())
      : store_(&store), decompressor_(std::move(decompressor)) {}

  /// Reads the text of a document below documents(). Errors: Corrupt; NoMemory for a very long text.
  Result<StoredText> read(std::uint32_t document) { return read_text(store_->text_number(document)); }

  /// Reads a text by its own number, below texts().
  Result<StoredText> read_text(std::uint32_t text);

  /// Selects the text of a document, for the functions below. Reads it only if it is not long. Errors: as read().
  Status select(std::uint32_t document) { return select_text(store_->text_number(document)); }

  std::size_t details_bytes() const { return details_bytes_; }
  std::size_t content_bytes() const { return content_bytes_; }

  /// Pieces of kBlockBytes into which the content of the selected text is cut; 0 if the text is not long.
  std::size_t pieces() const { return is_long_ ? count_pieces(content_bytes_) : 0; }
  /// Errors: Corrupt.
  Result<PieceMark> mark(std::size_t piece) const;

  /// Returns the bytes [begin, end) of the details or the content, and reads the blocks that contain them if they were
  /// not read before. Errors: Corrupt.
  Result<std::string_view> details(std::size_t begin, std::size_t end);
  Result<std::string_view> content(std::size_t begin, std::size_t end);

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  static std::size_t count_pieces(std::size_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes; }
  /// Blocks of the details of a long text: at least the one with its lengths.
  std::size_t details_blocks() const { return std::max<std::size_t>(1, count_pieces(details_bytes_)); }

  Status select_text(std::uint32_t text);
  Status reserve(std::size_t size);
  Status read_pieces(std::size_t begin, std::size_t end, std::size_t text_begin, std::size_t text_bytes,
                     std::size_t first_block);
  Status decompress(std::string_view packed, std::size_t begin, std::size_t size);

  const Store* store_;
  std::shared_ptr<TextDecompressor> decompressor_;
  std::unique_ptr<char[]> text_;
  std::size_t capacity_ = 0;
  std::size_t block_ = kNone;  // block of short texts in `text_`
  // The selected text.
  bool is_long_ = false;
  std::size_t first_block_ = 0;
  std::size_t begin_ = 0;  // in `text_`
  std::size_t details_bytes_ = 0;
  std::size_t content_bytes_ = 0;
  std::string_view first_piece_;  // compressed, of a long text
  std::vector<bool> is_read_;     // of each block of a long text
  std::vector<PieceMark> marks_;
};

/// Gathers samples of texts, evenly, for a dictionary. Not thread-safe.
class TextSampler {
 public:
  /// `bytes`: of all texts, approximately.
  explicit TextSampler(std::uint64_t bytes) : step_(bytes / TextDictionary::kMaxSampleBytes + 1) {}

  void add(const StoredText& text);
  std::shared_ptr<const TextDictionary> learn() const { return TextDictionary::learn(samples_, sizes_); }
  std::size_t bytes() const { return samples_.size(); }

 private:
  std::uint64_t step_;
  std::uint64_t skipped_ = 0;  // bytes since the last sample
  std::string samples_;
  std::vector<std::size_t> sizes_;
};

/// Writes the sections of stored texts; each block is written when it is full. Not thread-safe. The file must outlive
/// the writer, and no other section may begin before finish().
class StoreWriter {
 public:
  /// Writing at zstd's level 3 takes a sixth longer than at 1 and saves a tenth; level 9 saves 6 % more in five times
  /// the time.
  static constexpr int kLevel = 3;

  /// `dictionary`: of the blocks; may be null.
  static Result<StoreWriter> begin(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary,
                                   int level = kLevel);

  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();

  /// Adds the text of a document. Every document number from 0 to n-1 must be added exactly once, in any order. Texts
  /// that are added consecutively are stored together. Errors: Unsupported if the text is longer than 1 GiB.
  Status add(std::uint32_t document, const StoredText& text);

  /// Copies a block of another store with the same dictionary without recompressing it. `documents` are the new numbers
  /// of the documents of the texts that begin in it. The further pieces of a text must follow it.
  Status copy(const Store::Block& block, std::span<const std::uint32_t> documents);

  /// Whether to copy() a block with `uncompressed_bytes` of text. If it is less than half full, add() its texts
  /// instead.
  static bool is_worth_copying(std::uint64_t uncompressed_bytes) { return uncompressed_bytes * 2 >= kBlockBytes; }

  /// Writes the last block, the table and the dictionary.
  Status finish();

  const std::shared_ptr<const TextDictionary>& dictionary() const { return compressor_->dictionary(); }

 private:
  StoreWriter(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary, int level);
  Status add_long(std::uint32_t document, const StoredText& text);
  Status append_piece(std::string_view piece, std::span<const std::uint32_t> documents);
  Status flush();
  Status append_block(std::string_view bytes, std::span<const std::uint32_t> documents);

  SectionFileWriter* file_;
  std::unique_ptr<TextCompressor> compressor_;
  std::vector<std::uint32_t> documents_;  // documents of the current block
  std::string lengths_;
  std::string bytes_;
  std::string packed_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> first_texts_;
  std::vector<std::uint64_t> texts_of_documents_;
  std::uint64_t texts_ = 0;  // number of texts in the blocks already written
};

}  // namespace kbase::native_index
