// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/columns/titles.hpp"
#include "adapters/native_index/dictionary/text_table.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "adapters/native_index/store/store.hpp"
#include "adapters/native_index/store/text_dictionary.hpp"
#include "adapters/text/analyzer.hpp"
#include "domain/base/result.hpp"
#include "domain/model/item.hpp"

namespace kbase::native_index {

class ListWriter;

/// Gathers analysed items in memory and writes them as one segment. Not thread-safe.
class SegmentBuilder {
 public:
  /// Copies the parts of the item that a segment stores; its words are stemmed in `languages`. Replaces an item with
  /// the same id.
  void add(const model::ItemView& item, text::ItemLanguages languages);

  /// Removes the item with this id; returns false if there is no such item. Its memory is freed only by write().
  bool remove(std::string_view id);

  std::uint32_t documents() const { return live_documents_; }
  std::size_t bytes() const;  ///< memory used, approximately

  /// Writes the sections of all items, then clears the builder. `dictionary` compresses the texts; may be null.
  Status write(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary = nullptr);

  /// Learns a dictionary from the texts; null if they are too few.
  std::shared_ptr<const TextDictionary> learn_dictionary() const;

 private:
  /// A word of a text: the number of its term, and its field and position (encoding: see segment_builder.cpp).
  struct Occurrence {
    std::uint32_t term;
    std::uint32_t packed_position;
  };
  /// What turns the occurrences of a term in a document into an impact.
  struct Scale {
    float saturation;    // see native_index::saturation()
    float title_weight;  // see text::title_weight()
  };
  struct Document {
    std::size_t occurrences_end;  // starts at the previous document's end
    std::size_t texts_start;      // category, details, content
    std::size_t tags_end;         // starts at the previous document's end
    std::size_t titles_end;       // starts at the previous document's end
    std::size_t marks_end;        // starts at the previous document's end
    std::uint32_t category_size, details_size, content_size;
    std::uint32_t id;  // number in ids_
    model::Day updated;
    std::uint64_t views;
    Scale scale;
    text::Language language;
  };
  struct Texts {
    std::string_view category, details, content;
  };
  /// Numbers of documents that were not removed.
  using Numbers = std::vector<std::uint32_t>;

  /// Terms whose occurrences are copied together.
  struct TermGroups {
    std::vector<std::span<const std::uint32_t>> terms;  // of each group
    std::vector<std::uint8_t> group_of;                 // of each term; a byte, since each occurrence reads it
  };

  /// Place and length of the texts of a field, while they are added.
  struct FieldLength {
    std::uint32_t next_position = 0;  // of the next text
    std::uint32_t last_position = 0;
    std::uint32_t quarter_words = 0;  // see native_index::token_length()

    float words() const { return static_cast<float>(quarter_words) / 4; }
    void end_text() { next_position = std::max(next_position, last_position) + kFieldGap; }
  };

  /// Terms of a word; kNoNumber: it has no such term.
  struct WordTerms {
    std::uint32_t stem, stem_of_exact, exact;
  };

  void add_field(std::string_view text, Field field, text::Language language, FieldLength& length);
  void add_content(const model::ItemView& item, text::Language language, FieldLength& length);
  /// Adds a title or an alias.
  void add_title(std::string_view text, text::ItemLanguages languages, FieldLength& length);
  void add_token(const text::Token& token, Field field, FieldLength& length);
  WordTerms get_terms(const text::Token& token);
  void add_name(char mark, std::string_view name);
  void add_tags(std::span<const std::string_view> tags);
  std::vector<std::string_view> get_tags(std::uint32_t number) const;
  StoredText get_stored_text(std::uint32_t number) const;
  void replace_same_id(std::string_view id, Document& document);
  Texts get_texts(const Document& document) const;
  Numbers sort_by_id() const;
  Numbers sort_for_segment(const Numbers& by_id) const;
  Status write_texts(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary,
                     const Numbers& old_to_new_document) const;
  Status write_columns(SectionFileWriter& file, const Numbers& order) const;
  Status write_ids(SectionFileWriter& file, const Numbers& by_id, const Numbers& old_to_new_document) const;
  Status write_lists(SectionFileWriter& file, const Numbers& order);
  Status write_list(std::string_view term, std::span<const Occurrence> occurrences, const std::vector<Scale>& scales,
                    ListWriter& lists);
  std::span<const Occurrence> get_occurrences(std::uint32_t number) const;
  TermGroups group_terms(const Numbers& sorted, const Numbers& counts) const;
  std::vector<Occurrence> group_occurrences(const Numbers& order, const TermGroups& groups, std::uint8_t group,
                                            const Numbers& counts, Numbers& ends) const;
  void add_postings(std::span<const Occurrence> occurrences, bool with_positions, const std::vector<Scale>& scales,
                    ListWriter& lists);
  void clear();

  text::Analyzer analyzer_;
  TextTable terms_;
  TextTable ids_;
  std::vector<std::uint32_t> document_of_id_;  // kNone: removed
  std::string name_;                           // scratch buffer for a marked term
  std::string details_;                        // scratch buffer for the details of an item
  std::vector<Occurrence> occurrences_;
  std::vector<Document> documents_;
  std::string texts_;
  TextTable tags_;
  std::vector<std::uint32_t> document_tags_;  // tag numbers, document after document
  std::vector<TitleHash> titles_;             // document after document
  std::vector<PieceMark> marks_;              // of long texts, document after document
  std::vector<std::uint32_t> positions_;      // scratch buffer for one posting
  std::uint32_t live_documents_ = 0;
};

}  // namespace kbase::native_index
