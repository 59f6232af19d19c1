// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/native_index/dictionary/term_blocks.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "domain/base/function_ref.hpp"

namespace kbase::native_index {

/// Writes the info section: the pivot that the segment's impacts use.
Status write_info(SectionFileWriter& file, const ImpactScale& scale);

/// Writes the postings, positions and dictionary sections of a segment, term by term. Holds one list and about 2 MiB in
/// memory. Not thread-safe. The file must outlive the writer, and no other section may begin before finish().
class ListWriter {
 public:
  explicit ListWriter(SectionFileWriter& file);

  Status begin();

  /// Buffer for the postings of the next term. Fill it, then call end_term().
  PostingBuffer& postings() { return postings_.term(); }

  /// Assigns the buffered postings to `term`. Terms must come in ascending byte order. A term without postings is
  /// skipped. For `is_word` see TermEntry.
  Status end_term(std::string_view term, bool is_word);

  /// Writes the remaining data. Errors: Cancelled if `stop` returns true.
  Status finish(FunctionRef<bool()> stop);

 private:
  Status flush_lists();
  Status flush_terms();

  SectionFileWriter& file_;
  PostingWriter postings_;
  SpooledSection positions_;
  SpooledSection terms_;
  std::string encoded_terms_;
  DictionaryWriter dictionary_;
};

}  // namespace kbase::native_index
