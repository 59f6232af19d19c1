// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/dictionary/dictionary.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/segments/word_documents.hpp"
#include "adapters/native_index/segments/word_parts_index.hpp"
#include "adapters/native_index/store/store.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::native_index {

/// Incremented with every change of a segment file's content.
inline constexpr std::uint32_t kSegmentFormat = 12;

inline constexpr SectionKind kDictionarySection = section_kind("term");
inline constexpr SectionKind kPostingsSection = section_kind("post");
inline constexpr SectionKind kPositionsSection = section_kind("posi");

/// First byte of dictionary terms that are not words of texts, so that each kind has its own range: the exact form of a
/// word whose stem is spelled differently (impacts, no positions), and the documents of a category, of a tag, of a
/// language and its forms, or of a version.
inline constexpr char kExactMark = '\x01';
inline constexpr char kCategoryMark = '\x02';
inline constexpr char kTagMark = '\x03';
inline constexpr char kLanguageMark = '\x04';  // the language in lower case
inline constexpr char kVersionMark = '\x05';
inline constexpr char kLastMark = kVersionMark;

/// Returns the hash of the folded words of a title (text::fold_title).
TitleHash hash_title(std::string_view words);

/// Immutable part of the index: a mapped file with documents and their terms. Documents are numbered from 0, newest
/// first, then by ascending id. Thread-safe.
class Segment {
 public:
  /// Checks as much as is needed to never read outside the file; file().verify() checks everything. Errors: Corrupt,
  /// NotFound and Unsupported, as SectionFile::open().
  static Result<std::shared_ptr<const Segment>> open(Files& files, const std::filesystem::path& path);

  std::uint32_t documents() const { return columns_.documents(); }
  std::uint32_t windows() const { return (documents() + kWindowDocuments - 1) / kWindowDocuments; }

  /// Prefetches a document's columns and text into the CPU cache without waiting. Prefetching several documents before
  /// reading them overlaps their cache misses.
  void prefetch(std::uint32_t document) const noexcept {
    columns_.prefetch(document);
    store_.prefetch(document);
  }

  const Columns& columns() const { return columns_; }
  const Dictionary& dictionary() const { return dictionary_; }
  const Store& store() const { return store_; }
  const WordDocuments& words() const { return words_; }
  const SectionFile& file() const { return *file_; }

  /// Returns the index of its words by their parts, which the first call builds: about 50 ns for each letter.
  const WordPartsIndex& word_parts() const;
  bool has_word_parts() const { return are_word_parts_built_; }  ///< whether a call has built it

  /// Returns the list of a dictionary term; an empty list if the term is missing or its list is damaged.
  PostingList list(const TermEntry& entry) const;
  PostingList find_list(std::string_view term) const;

  /// Returns the list of a term if it is short; see ShortList::open().
  std::optional<ShortList> short_list(const TermEntry& entry) const {
    return ShortList::open(postings_.subspan(std::min<std::uint64_t>(entry.postings, postings_.size())));
  }

 private:
  Segment(std::shared_ptr<const SectionFile> file, Columns columns, Dictionary dictionary, Store store,
          const WordDocuments& words);

  std::shared_ptr<const SectionFile> file_;
  Columns columns_;
  Dictionary dictionary_;
  Store store_;
  WordDocuments words_;
  std::span<const std::byte> postings_;
  std::span<const std::byte> positions_;
  mutable std::once_flag word_parts_once_;
  mutable std::atomic<bool> are_word_parts_built_ = false;
  mutable std::optional<WordPartsIndex> word_parts_;
};

/// Writes the postings, positions, dictionary and word sections of a segment, term by term. Holds one list, about 5
/// bytes per term, and 3 MiB in memory. Not thread-safe. The file must outlive the writer, and no other section may
/// begin before finish().
class ListWriter {
 public:
  /// `max_offset`: the largest offset of the format; less only in tests.
  explicit ListWriter(SectionFileWriter& file, std::uint64_t max_offset = std::numeric_limits<std::uint32_t>::max());

  Status begin();

  /// Buffer for the postings of the next term. Fill it, and add to words() for each posting whether the document
  /// contains the term as a word, then call end_term().
  PostingBuffer& postings() { return postings_.term(); }
  WordDocumentsWriter& words() { return words_; }

  /// Assigns the buffered postings to `term`. Terms must come in ascending byte order. A term without postings is
  /// skipped. Errors: Unsupported if the segment is too large for the format, whose offsets have 32 bits: the positions
  /// of a list, and the terms, take at most 4 GiB.
  Status end_term(std::string_view term);

  /// Writes the remaining data. Errors: Cancelled if `stop` returns true.
  Status finish(FunctionRef<bool()> stop);

 private:
  Status flush_lists();
  Status flush_terms();

  SectionFileWriter& file_;
  std::uint64_t max_offset_;
  PostingWriter postings_;
  SpooledSection positions_;
  SpooledSection terms_;
  WordDocumentsWriter words_;
  std::string encoded_terms_;
  DictionaryWriter dictionary_;
};

}  // namespace kbase::native_index
