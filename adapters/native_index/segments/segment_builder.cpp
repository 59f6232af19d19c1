// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_builder.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "adapters/native_index/columns/columns.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/store/details.hpp"
#include "adapters/text/excerpt_line.hpp"
#include "adapters/text/query.hpp"
#include "adapters/text/titles.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
// Encoding of Occurrence::packed_position: the field, whether the text contains the term itself as a word, whether the
// term is a part of a word, whether it is a pair of characters, and the position.
constexpr unsigned kFieldShift = 30;
constexpr std::uint32_t kIsWord = std::uint32_t{1} << 29;
constexpr std::uint32_t kIsWeak = std::uint32_t{1} << 28;
constexpr std::uint32_t kIsPair = std::uint32_t{1} << 27;
constexpr std::uint32_t kPositionMask = kIsPair - 1;

std::uint32_t pack_position(Field field, std::uint32_t position) {
  return static_cast<std::uint32_t>(field) << kFieldShift | std::min(position, kPositionMask);
}

bool has_positions(std::string_view term) { return static_cast<unsigned char>(term.front()) > kLastMark; }

std::uint32_t byte_size(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

constexpr std::size_t kGroups = 8;  // of terms whose occurrences are copied at a time

}  // namespace

void SegmentBuilder::add(const model::ItemView& item, text::ItemLanguages languages) {
  Document document{};
  document.language = languages.content;
  FieldLength title, tags, content;
  add_title(item.title, languages, title);
  for (const std::string_view alias : item.aliases) add_title(alias, languages, title);
  tags.next_position = title.next_position;
  for (const std::string_view tag : item.tags) add_field(tag, Field::Tags, languages.content, tags);
  content.next_position = tags.next_position;
  pack_details(item, details_);
  add_content(item, languages.content, content);
  document.scale.saturation =
      saturation(title.words() * static_cast<float>(field_weight(Field::Title)) +
                 tags.words() * static_cast<float>(field_weight(Field::Tags)) + content.words());
  // The length of a title is the mean of the title and the aliases.
  document.scale.title_weight = text::title_weight(title.words() / static_cast<float>(1 + item.aliases.size()));
  add_name(kCategoryMark, item.category);
  add_tags(item.tags);
  for (const std::string& range : model::language_ranges(item.language)) add_name(kLanguageMark, range);
  if (!item.version.empty()) add_name(kVersionMark, item.version);
  document.tags_end = document_tags_.size();
  document.occurrences_end = occurrences_.size();
  document.titles_end = titles_.size();
  document.marks_end = marks_.size();

  document.texts_start = texts_.size();
  document.category_size = byte_size(item.category);
  document.details_size = byte_size(details_);
  document.content_size = byte_size(item.content);
  for (const std::string_view text : {item.category, std::string_view(details_), item.content}) texts_.append(text);
  document.updated = item.metadata.updated;
  document.views = item.metadata.views;
  replace_same_id(item.id, document);
  documents_.push_back(document);
  ++live_documents_;
}

void SegmentBuilder::add_name(char mark, std::string_view name) {
  occurrences_.push_back({terms_.add(name_.assign(1, mark).append(name)), 0});
}

/// Adds each tag unanalysed and once, for filters and facets.
void SegmentBuilder::add_tags(std::span<const std::string_view> tags) {
  const std::size_t begin = document_tags_.size();
  for (const std::string_view tag : tags) {
    const std::uint32_t number = tags_.add(tag);
    if (std::find(document_tags_.begin() + static_cast<std::ptrdiff_t>(begin), document_tags_.end(), number) !=
        document_tags_.end())
      continue;
    document_tags_.push_back(number);
    add_name(kTagMark, tag);
  }
}

std::vector<std::string_view> SegmentBuilder::get_tags(std::uint32_t number) const {
  std::vector<std::string_view> tags;
  for (std::size_t i = number == 0 ? 0 : documents_[number - 1].tags_end; i < documents_[number].tags_end; ++i)
    tags.push_back(tags_.text(document_tags_[i]));
  return tags;
}

void SegmentBuilder::add_title(std::string_view text, text::ItemLanguages languages, FieldLength& length) {
  std::string words;
  analyzer_.analyze_title(text, languages, [&](const text::Token& token) {
    add_token(token, Field::Title, length);
    text::add_title_word(words, token);
  });
  if (!words.empty()) titles_.push_back(hash_title(words));
  length.end_text();
}

void SegmentBuilder::add_field(std::string_view text, Field field, text::Language language, FieldLength& length) {
  analyzer_.analyze(text, language, [&](const text::Token& token) { add_token(token, field, length); });
  length.end_text();
}

/// Adds the sections of the content one after the other, and marks the pieces of a long text.
void SegmentBuilder::add_content(const model::ItemView& item, text::Language language, FieldLength& length) {
  const bool is_long = StoredText{details_, item.content}.is_long();
  SectionOffsets sections(details_);
  std::size_t piece_begin = is_long ? 0 : item.content.size();  // of the next piece to be marked
  const auto mark_pieces = [&](std::size_t word_begin, std::uint32_t position) {
    for (; piece_begin <= word_begin && piece_begin < item.content.size(); piece_begin += kBlockBytes)
      marks_.push_back({position, static_cast<std::uint32_t>(sections.at(piece_begin)),
                        piece_begin > 0 && !text::is_blank(item.content[piece_begin - 1]) &&
                            !text::is_blank(item.content[piece_begin])});
  };
  std::size_t text_begin = 0;
  model::visit_section_texts(item.content, item.sections, [&](std::string_view text) {
    analyzer_.analyze(text, language, [&](const text::Token& token) {
      if (token.is_word()) mark_pieces(text_begin + token.begin, length.next_position + token.position);
      add_token(token, Field::Content, length);
    });
    length.end_text();
    text_begin += text.size();
  });
  mark_pieces(item.content.size(), length.next_position);
}

void SegmentBuilder::add_token(const text::Token& token, Field field, FieldLength& length) {
  length.last_position = length.next_position + token.position;
  const std::uint32_t packed_position =
      pack_position(field, length.last_position) | (token.is_weak() ? kIsWeak : 0) | (token.is_pair ? kIsPair : 0);
  const auto add_occurrence = [&](std::uint32_t term, bool is_word) {
    if (term == text::kNoNumber) return;
    occurrences_.push_back({term, is_word && !token.is_weak() ? packed_position | kIsWord : packed_position});
  };
  const WordTerms terms = get_terms(token);
  add_occurrence(terms.stem, token.stem.empty());
  add_occurrence(terms.stem_of_exact, token.stem_of_exact == token.exact);
  add_occurrence(terms.exact, true);
  if (token.is_word()) length.quarter_words += token_length(token.is_pair);
}

/// The analyzer keeps the terms of frequent words.
SegmentBuilder::WordTerms SegmentBuilder::get_terms(const text::Token& token) {
  if (token.numbers != nullptr && (*token.numbers)[0] != text::kNoNumber)
    return {(*token.numbers)[0], (*token.numbers)[1], (*token.numbers)[2]};
  WordTerms terms{terms_.add(token.stem.empty() ? token.exact : token.stem), text::kNoNumber, text::kNoNumber};
  if (!token.stem_of_exact.empty()) terms.stem_of_exact = terms_.add(token.stem_of_exact);
  if (!token.stem.empty()) terms.exact = terms_.add(name_.assign(1, kExactMark).append(token.exact));
  if (token.numbers != nullptr) *token.numbers = {terms.stem, terms.stem_of_exact, terms.exact};
  return terms;
}

void SegmentBuilder::replace_same_id(std::string_view id, Document& document) {
  remove(id);
  document.id = ids_.add(id);
  if (document.id == document_of_id_.size()) document_of_id_.push_back(kNone);
  document_of_id_[document.id] = static_cast<std::uint32_t>(documents_.size());
}

bool SegmentBuilder::remove(std::string_view id) {
  const auto number = ids_.find(id);
  if (!number || document_of_id_[*number] == kNone) return false;
  document_of_id_[*number] = kNone;
  --live_documents_;
  return true;
}

std::size_t SegmentBuilder::bytes() const {
  return (occurrences_.size() + occurrences_.size() / kGroups) * sizeof(Occurrence) +
         documents_.size() * sizeof(Document) + texts_.size() + ids_.bytes() +
         document_tags_.size() * sizeof(std::uint32_t) + titles_.size() * sizeof(TitleHash) +
         marks_.size() * sizeof(PieceMark);
}

SegmentBuilder::Texts SegmentBuilder::get_texts(const Document& document) const {
  std::string_view rest = std::string_view(texts_).substr(document.texts_start);
  const auto take_text = [&](std::uint32_t size) {
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    return text;
  };
  Texts texts;
  texts.category = take_text(document.category_size);
  texts.details = take_text(document.details_size);
  texts.content = take_text(document.content_size);
  return texts;
}

/// Returns the documents sorted by the bytes of their ids.
SegmentBuilder::Numbers SegmentBuilder::sort_by_id() const {
  Numbers numbers;
  numbers.reserve(live_documents_);
  for (const std::uint32_t id : ids_.sorted())
    if (document_of_id_[id] != kNone) numbers.push_back(document_of_id_[id]);
  return numbers;
}

/// Returns the documents in segment order: newest first, then by id.
SegmentBuilder::Numbers SegmentBuilder::sort_for_segment(const Numbers& by_id) const {
  Numbers order = by_id;
  std::stable_sort(order.begin(), order.end(),
                   [this](std::uint32_t a, std::uint32_t b) { return documents_[a].updated > documents_[b].updated; });
  return order;
}

StoredText SegmentBuilder::get_stored_text(std::uint32_t number) const {
  const Texts texts = get_texts(documents_[number]);
  const std::size_t marks = number == 0 ? 0 : documents_[number - 1].marks_end;
  return {texts.details, texts.content, std::span(marks_).subspan(marks, documents_[number].marks_end - marks)};
}

std::shared_ptr<const TextDictionary> SegmentBuilder::learn_dictionary() const {
  TextSampler sampler(texts_.size());
  for (std::uint32_t number = 0; number < documents_.size(); ++number) sampler.add(get_stored_text(number));
  return sampler.learn();
}

Status SegmentBuilder::write(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary) {
  const Numbers sorted = sort_by_id();
  const Numbers order = sort_for_segment(sorted);
  Numbers old_to_new_document(documents_.size(), kNone);
  for (std::uint32_t document = 0; document < order.size(); ++document) old_to_new_document[order[document]] = document;
  KBASE_TRY(write_texts(file, std::move(dictionary), old_to_new_document));
  KBASE_TRY(write_columns(file, order));
  KBASE_TRY(write_ids(file, sorted, old_to_new_document));
  KBASE_TRY(write_lists(file, order));
  clear();
  return {};
}

void SegmentBuilder::clear() {
  terms_.clear();
  analyzer_.clear();
  ids_.clear();
  document_of_id_.clear();
  occurrences_.clear();
  documents_.clear();
  texts_.clear();
  tags_.clear();
  document_tags_.clear();
  titles_.clear();
  marks_.clear();
  live_documents_ = 0;
}

Status SegmentBuilder::write_columns(SectionFileWriter& file, const Numbers& order) const {
  ColumnsWriter columns;
  TitleTableWriter titles;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t number = order[i];
    const Document& document = documents_[number];
    for (std::size_t title = number == 0 ? 0 : documents_[number - 1].titles_end; title < document.titles_end; ++title)
      titles.add({titles_[title], i});
    const std::vector<std::string_view> tags = get_tags(number);
    columns.add({get_texts(document).category, tags, document.updated, document.views,
                 static_cast<std::uint8_t>(document.language)});
  }
  KBASE_TRY(columns.write(file));
  return titles.write(file);
}

/// Writes the texts in order of arrival: neighbours in that order compress better than items of one day.
Status SegmentBuilder::write_texts(SectionFileWriter& file, std::shared_ptr<const TextDictionary> dictionary,
                                   const Numbers& old_to_new_document) const {
  auto store = KBASE_TRY(StoreWriter::begin(file, std::move(dictionary)));
  for (std::uint32_t number = 0; number < documents_.size(); ++number) {
    if (old_to_new_document[number] == kNone) continue;
    KBASE_TRY(store.add(old_to_new_document[number], get_stored_text(number)));
  }
  return store.finish();
}

Status SegmentBuilder::write_ids(SectionFileWriter& file, const Numbers& by_id,
                                 const Numbers& old_to_new_document) const {
  IdTableWriter ids;
  Numbers documents;
  documents.reserve(by_id.size());
  for (const std::uint32_t number : by_id) {
    ids.add(ids_.text(documents_[number].id));
    documents.push_back(old_to_new_document[number]);
  }
  return ids.write(file, documents);
}

/// Groups the occurrences of some terms at a time, so that their copies take little memory.
Status SegmentBuilder::write_lists(SectionFileWriter& file, const Numbers& order) {
  std::vector<Scale> scales(order.size());
  std::transform(order.begin(), order.end(), scales.begin(),
                 [this](std::uint32_t number) { return documents_[number].scale; });
  Numbers counts(terms_.size());
  for (const std::uint32_t number : order)
    for (const Occurrence& occurrence : get_occurrences(number)) ++counts[occurrence.term];
  const Numbers sorted = terms_.sorted();
  const TermGroups groups = group_terms(sorted, counts);
  Numbers ends(terms_.size());
  ListWriter lists(file);
  KBASE_TRY(lists.begin());
  for (std::uint8_t group = 0; group < groups.terms.size(); ++group) {
    const std::vector<Occurrence> grouped = group_occurrences(order, groups, group, counts, ends);
    for (const std::uint32_t term : groups.terms[group])
      KBASE_TRY(write_list(terms_.text(term), std::span(grouped).subspan(ends[term] - counts[term], counts[term]),
                           scales, lists));
  }
  return lists.finish([] { return false; });
}

/// Returns groups of consecutive `sorted` terms with about equal numbers of occurrences; a term with more is alone.
SegmentBuilder::TermGroups SegmentBuilder::group_terms(const Numbers& sorted, const Numbers& counts) const {
  const std::size_t most = occurrences_.size() / kGroups + 1;
  TermGroups groups;
  groups.group_of.resize(terms_.size());
  for (std::span<const std::uint32_t> rest(sorted); !rest.empty();) {
    std::size_t terms = 0, size = 0;
    while (terms < rest.size() && (terms == 0 || size + counts[rest[terms]] <= most)) {
      groups.group_of[rest[terms]] = static_cast<std::uint8_t>(groups.terms.size());  // at most 2 kGroups + 1
      size += counts[rest[terms++]];
    }
    groups.terms.push_back(rest.first(terms));
    rest = rest.subspan(terms);
  }
  return groups;
}

std::span<const SegmentBuilder::Occurrence> SegmentBuilder::get_occurrences(std::uint32_t number) const {
  const std::size_t begin = number == 0 ? 0 : documents_[number - 1].occurrences_end;
  return std::span(occurrences_).subspan(begin, documents_[number].occurrences_end - begin);
}

/// Returns the occurrences of the terms of a group, term after term, in document order within a term; `ends` receives
/// the end of each term's. Occurrence::term then holds the document instead of the term.
std::vector<SegmentBuilder::Occurrence> SegmentBuilder::group_occurrences(const Numbers& order,
                                                                          const TermGroups& groups, std::uint8_t group,
                                                                          const Numbers& counts, Numbers& ends) const {
  std::uint32_t begin = 0;
  for (const std::uint32_t term : groups.terms[group]) ends[term] = std::exchange(begin, begin + counts[term]);
  std::vector<Occurrence> grouped(begin);
  for (std::uint32_t document = 0; document < order.size(); ++document)
    for (const Occurrence& occurrence : get_occurrences(order[document]))
      if (groups.group_of[occurrence.term] == group)
        grouped[ends[occurrence.term]++] = {document, occurrence.packed_position};
  return grouped;
}

Status SegmentBuilder::write_list(std::string_view term, std::span<const Occurrence> occurrences,
                                  const std::vector<Scale>& scales, ListWriter& lists) {
  add_postings(occurrences, has_positions(term), scales, lists);
  return lists.end_term(term);
}

void SegmentBuilder::add_postings(std::span<const Occurrence> occurrences, bool with_positions,
                                  const std::vector<Scale>& scales, ListWriter& lists) {
  while (!occurrences.empty()) {
    const std::uint32_t document = occurrences.front().term;
    std::uint32_t frequency = 0;
    bool is_word = false;
    positions_.clear();
    for (; !occurrences.empty() && occurrences.front().term == document; occurrences = occurrences.subspan(1)) {
      const std::uint32_t packed_position = occurrences.front().packed_position;
      frequency += token_frequency(static_cast<Field>(packed_position >> kFieldShift), scales[document].title_weight,
                                   (packed_position & kIsWeak) != 0, (packed_position & kIsPair) != 0);
      is_word = is_word || (packed_position & kIsWord) != 0;
      const std::uint32_t position = packed_position & kPositionMask;
      if (with_positions && (positions_.empty() || positions_.back() < position)) positions_.push_back(position);
    }
    lists.postings().add(document, impact(frequency, scales[document].saturation), positions_);
    lists.words().add(is_word);
  }
}

}  // namespace kbase::native_index
