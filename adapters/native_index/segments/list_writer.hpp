// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/native_index/dictionary/dictionary_writer.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/files/spooled_section.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"
#include "domain/model/function_ref.hpp"

namespace kbase::native_index {

/// Writes a segment's sections of postings, positions and terms, term by term. Holds one list and about two MiB. One
/// thread. The file must outlive the writer, and nobody else begins a section meanwhile.
class ListWriter {
 public:
  explicit ListWriter(SectionFileWriter& file);

  model::Status begin();

  /// Where the postings of the next term go: to be filled, then end_term().
  PostingBuffer& postings() { return postings_.term(); }

  /// The postings at hand are those of `term`, behind the one before it in the order of their bytes. A term without
  /// postings is none. See TermEntry.
  model::Status end_term(std::string_view term, bool is_word);

  /// Writes what is left. Cancelled: `stop` said so.
  model::Status finish(model::FunctionRef<bool()> stop);

 private:
  model::Status flush_lists();
  model::Status flush_terms();

  SectionFileWriter& file_;
  PostingWriter postings_;
  SpooledSection positions_;
  SpooledSection terms_;
  std::string encoded_terms_;
  DictionaryWriter dictionary_;
};

}  // namespace kbase::native_index
