// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/segment_builder.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "adapters/native_index/columns/columns_writer.hpp"
#include "adapters/native_index/dictionary/dictionary_writer.hpp"
#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/postings/posting_writer.hpp"
#include "adapters/native_index/segments/segment_format.hpp"
#include "adapters/native_index/store/store_writer.hpp"

namespace kbase::native_index {
namespace {

constexpr unsigned kFieldShift = 30;
constexpr std::uint32_t kPositionMask = (std::uint32_t{1} << kFieldShift) - 1;

std::uint32_t place_of(Field field, std::uint32_t position) {
  return static_cast<std::uint32_t>(field) << kFieldShift | std::min(position, kPositionMask);
}

bool has_positions(std::string_view term) {
  return term.front() != kExactMark && term.front() != kCategoryMark;
}

std::uint32_t size_of(std::string_view text) {
  return static_cast<std::uint32_t>(text.size());
}

}  // namespace

void SegmentBuilder::add(const model::ItemView& item, text::Language language) {
  Document document{};
  document.language = language;
  const std::uint64_t before = length_;
  std::uint32_t position = add_field(item.title, Field::Title, language, 0);
  for (const std::string_view tag : item.tags) position = add_field(tag, Field::Tags, language, position);
  add_field(item.content, Field::Content, language, position);
  occurrences_.push_back({terms_.number_of(name_.assign(1, kCategoryMark).append(item.category)), 0});
  document.occurrences_end = occurrences_.size();
  document.length = static_cast<std::uint32_t>(length_ - before);

  document.texts_begin = texts_.size();
  document.id_size = size_of(item.id);
  document.category_size = size_of(item.category);
  document.title_size = size_of(item.title);
  document.content_size = size_of(item.content);
  for (const std::string_view text : {item.id, item.category, item.title, item.content}) texts_.append(text);
  document.updated = item.metadata.updated;
  document.views = item.metadata.views;
  document.revision = item.revision;
  documents_.push_back(document);
}

/// Gives the position for the next field.
std::uint32_t SegmentBuilder::add_field(std::string_view text, Field field, text::Language language,
                                        std::uint32_t position) {
  std::uint32_t last = position;
  analyzer_.analyze(text, language, [&](const text::Token& token) {
    last = position + token.position;
    const std::uint32_t place = place_of(field, last);
    occurrences_.push_back({terms_.number_of(token.stem.empty() ? token.exact : token.stem), place});
    if (!token.stem.empty())
      occurrences_.push_back({terms_.number_of(name_.assign(1, kExactMark).append(token.exact)), place});
    if (token.role != text::Token::Role::Part) length_ += weight_of(field);
  });
  return last + kFieldGap;
}

std::size_t SegmentBuilder::bytes() const {
  return 2 * occurrences_.size() * sizeof(Occurrence) + documents_.size() * sizeof(Document) + texts_.size();
}

float SegmentBuilder::mean_length() const {
  return documents_.empty() ? 0 : static_cast<float>(length_) / static_cast<float>(documents_.size());
}

SegmentBuilder::Texts SegmentBuilder::texts_of(const Document& document) const {
  std::string_view rest = std::string_view(texts_).substr(document.texts_begin);
  const auto take = [&](std::uint32_t size) {
    const std::string_view text = rest.substr(0, size);
    rest.remove_prefix(size);
    return text;
  };
  Texts texts;
  texts.id = take(document.id_size);
  texts.category = take(document.category_size);
  texts.title = take(document.title_size);
  texts.content = take(document.content_size);
  return texts;
}

/// The documents as the segment numbers them: the newest first, then by id.
std::vector<std::uint32_t> SegmentBuilder::in_order() const {
  std::vector<std::uint32_t> order(documents_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
    const Document& one = documents_[a];
    const Document& other = documents_[b];
    return one.updated != other.updated ? one.updated > other.updated : texts_of(one).id < texts_of(other).id;
  });
  return order;
}

model::Status SegmentBuilder::write(SectionFileWriter& file, const ImpactScale& scale) {
  const std::vector<std::uint32_t> order = in_order();
  if (auto written = write_texts(file, order); !written) return written;
  if (auto written = write_lists(file, order, scale); !written) return written;
  terms_.clear();
  occurrences_.clear();
  documents_.clear();
  texts_.clear();
  length_ = 0;
  return {};
}

model::Status SegmentBuilder::write_texts(SectionFileWriter& file, const std::vector<std::uint32_t>& order) const {
  auto store = StoreWriter::begin(file);
  if (!store) return store.error();
  ColumnsWriter columns;
  for (const std::uint32_t number : order) {
    const Document& document = documents_[number];
    const Texts texts = texts_of(document);
    columns.add({texts.id, texts.category, document.updated, document.views,
                 static_cast<std::uint8_t>(document.language), document.revision});
    if (auto added = store->add({texts.title, texts.content}); !added) return added;
  }
  if (auto finished = store->finish(); !finished) return finished;
  return columns.write(file);
}

/// The occurrences of each term, in the order of the documents, one term after the other; `ends` says where each one's
/// end. The place of a term's number is taken by the document's.
std::vector<SegmentBuilder::Occurrence> SegmentBuilder::by_term(const std::vector<std::uint32_t>& order,
                                                                std::vector<std::size_t>& ends) const {
  std::vector<std::size_t> counts(terms_.size() + 1);
  for (const Occurrence& occurrence : occurrences_) ++counts[occurrence.term + 1];
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  ends.assign(counts.begin(), counts.end() - 1);  // where each begins; moved on below
  std::vector<Occurrence> sorted(occurrences_.size());
  for (std::uint32_t document = 0; document < order.size(); ++document) {
    const std::uint32_t number = order[document];
    std::size_t i = number == 0 ? 0 : documents_[number - 1].occurrences_end;
    for (; i < documents_[number].occurrences_end; ++i)
      sorted[ends[occurrences_[i].term]++] = {document, occurrences_[i].place};
  }
  return sorted;
}

/// The sections of postings, positions and terms. Positions wait in memory for their section.
class SegmentBuilder::ListWriter {
 public:
  ListWriter(SectionFileWriter& file, std::vector<float> saturations)
      : file_(file), saturations_(std::move(saturations)), dictionary_(terms_) {}

  model::Status begin() { return file_.begin(kPostingsSection); }

  model::Status add(std::string_view term, std::span<const Occurrence> occurrences) {
    const bool positioned = has_positions(term);
    PostingBuffer& buffer = postings_.term();
    std::uint32_t documents = 0;
    while (!occurrences.empty()) {
      const std::uint32_t document = occurrences.front().term;
      std::uint32_t frequency = 0;
      positions_.clear();
      for (; !occurrences.empty() && occurrences.front().term == document; occurrences = occurrences.subspan(1)) {
        const std::uint32_t place = occurrences.front().place;
        frequency += weight_of(static_cast<Field>(place >> kFieldShift));
        const std::uint32_t position = place & kPositionMask;
        if (positioned && (positions_.empty() || positions_.back() < position)) positions_.push_back(position);
      }
      buffer.add(document, ImpactScale::impact(frequency, saturations_[document]), positions_);
      ++documents;
    }
    dictionary_.add(term, {documents, postings_.finish_term()});
    return postings_.pending_bytes() < kPieceBytes ? model::Status() : flush();
  }

  model::Status finish() {
    if (auto flushed = flush(); !flushed) return flushed;
    if (auto begun = file_.begin(kPositionsSection); !begun) return begun;
    if (auto written = file_.append(encoded_positions_); !written) return written;
    dictionary_.finish();
    if (auto begun = file_.begin(kDictionarySection); !begun) return begun;
    return file_.append(terms_);
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

  model::Status flush() {
    const PostingWriter::Pieces pieces = postings_.take();
    encoded_positions_.append(as_text(pieces.positions));
    return file_.append(as_text(pieces.postings));
  }

  SectionFileWriter& file_;
  std::vector<float> saturations_;
  PostingWriter postings_;
  std::vector<std::uint32_t> positions_;
  std::string encoded_positions_;
  std::string terms_;
  DictionaryWriter dictionary_;
};

model::Status SegmentBuilder::write_lists(SectionFileWriter& file, const std::vector<std::uint32_t>& order,
                                          const ImpactScale& scale) {
  std::vector<float> saturations(order.size());
  std::transform(order.begin(), order.end(), saturations.begin(),
                 [&](std::uint32_t number) { return scale.saturation(documents_[number].length); });
  std::vector<std::size_t> ends;
  const std::vector<Occurrence> sorted = by_term(order, ends);
  ListWriter lists(file, std::move(saturations));
  if (auto begun = lists.begin(); !begun) return begun;
  for (const std::uint32_t term : terms_.sorted()) {
    const std::size_t begin = term == 0 ? 0 : ends[term - 1];
    if (auto added = lists.add(terms_.term(term), std::span(sorted).subspan(begin, ends[term] - begin)); !added)
      return added;
  }
  return lists.finish();
}

}  // namespace kbase::native_index
