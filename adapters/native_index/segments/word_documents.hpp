// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/dictionary/dictionary.hpp"
#include "adapters/native_index/files/number_column.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"

/// A stem is also a word if a text contains it. Some documents of its list then contain that word, others only another
/// form of it: corrections and completions offer the word as long as one of the former is not deleted.
namespace kbase::native_index {

/// Only of the lists of which some documents contain the word and others do not: the bits, one for each posting, lowest
/// bit first, each list from a new byte; the offsets of the lists in section "postings", ascending, and the starts of
/// their bits (both as NumberColumn); the number of lists, u32; the bytes of an offset and of a start, u8 each.
inline constexpr SectionKind kWordSection = section_kind("word");

/// The documents of a list that contain the term itself as a word. A view that is valid as long as its segment.
class WordPostings {
 public:
  /// All or none of the documents.
  explicit WordPostings(bool all) : all_(all) {}
  /// `bits`: one for each posting, as in kWordSection.
  explicit WordPostings(std::string_view bits) : bits_(bits) {}

  bool are_all() const { return all_; }

  /// `rank`: of the posting in its list. False beyond the end of damaged bits.
  bool contains(std::size_t rank) const {
    return all_ || (rank / 8 < bits_.size() && (bits_[rank / 8] >> (rank % 8) & 1) != 0);
  }

 private:
  bool all_ = false;
  std::string_view bits_;
};

/// Finds the documents that contain a term as a word. A view of a file, which must outlive it. Thread-safe.
class WordDocuments {
 public:
  WordDocuments() = default;
  /// Errors: Corrupt if the section is not one that WordDocumentsWriter wrote.
  static Result<WordDocuments> open(std::string_view section);

  /// `entry`: of the term.
  WordPostings find(const TermEntry& entry) const;

 private:
  std::size_t lists() const { return offsets_.size(); }

  NumberColumn offsets_;
  NumberColumn starts_;
  std::string_view bits_;
};

/// Writes the section. Holds 16 bytes for each list of which only some documents contain the word. Not thread-safe.
class WordDocumentsWriter {
 public:
  explicit WordDocumentsWriter(SectionFileWriter& file);

  /// Adds the next posting of the current list.
  void add(bool is_word);

  /// Ends the current list, which is at `postings` in its section. Returns TermEntry::is_word.
  Result<bool> end_list(std::uint64_t postings);

  /// Writes the section. Errors: Cancelled if `stop` returns true.
  Status finish(FunctionRef<bool()> stop);

 private:
  SpooledSection section_;
  std::uint64_t written_ = 0;  // bytes of the bits
  std::string list_;           // bits of the current list
  std::size_t postings_ = 0;   // of the current list
  std::size_t words_ = 0;      // of these contain the word
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint64_t> starts_;
};

}  // namespace kbase::native_index
