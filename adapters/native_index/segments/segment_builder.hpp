// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/native_index/files/section_file_writer.hpp"
#include "adapters/native_index/postings/posting_buffer.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "adapters/native_index/segments/term_table.hpp"
#include "adapters/text/analyzer.hpp"
#include "domain/model/item.hpp"
#include "domain/model/result.hpp"

namespace kbase::native_index {

/// Gathers analysed items in memory and writes them as one segment. One thread.
class SegmentBuilder {
 public:
  /// Copies what a segment keeps of the item, whose words are stemmed in `language`. No two items have one id.
  void add(const model::ItemView& item, text::Language language);

  std::uint32_t documents() const { return static_cast<std::uint32_t>(documents_.size()); }
  std::size_t bytes() const;  ///< of memory, about
  float mean_length() const;  ///< in words times their field's weight

  /// Writes the sections of everything that was added, and forgets it.
  model::Status write(SectionFileWriter& file, const ImpactScale& scale);

 private:
  /// A word of a text: the number of its term and where it stands, its field in the two highest bits.
  struct Occurrence {
    std::uint32_t term;
    std::uint32_t place;
  };
  struct Document {
    std::size_t occurrences_end;  // those of the one before end where its own begin
    std::size_t texts_begin;      // id, category, title, content
    std::uint32_t id_size, category_size, title_size, content_size;
    model::Day updated;
    std::uint64_t views;
    std::uint32_t length;
    text::Language language;
    model::Revision revision;
  };
  struct Texts {
    std::string_view id, category, title, content;
  };
  class ListWriter;

  std::uint32_t add_field(std::string_view text, Field field, text::Language language, std::uint32_t position);
  Texts texts_of(const Document& document) const;
  std::vector<std::uint32_t> in_order() const;
  model::Status write_texts(SectionFileWriter& file, const std::vector<std::uint32_t>& order) const;
  model::Status write_lists(SectionFileWriter& file, const std::vector<std::uint32_t>& order, const ImpactScale& scale);
  std::vector<Occurrence> by_term(const std::vector<std::uint32_t>& order, std::vector<std::size_t>& ends) const;

  text::Analyzer analyzer_;
  TermTable terms_;
  std::string name_;  // of an exact form, while it is looked up
  std::vector<Occurrence> occurrences_;
  std::vector<Document> documents_;
  std::string texts_;
  std::uint64_t length_ = 0;
};

}  // namespace kbase::native_index
