// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/hit_texts.hpp"

#include <algorithm>
#include <utility>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/search/search.hpp"

namespace kbase::native_index {
namespace {

constexpr std::uint32_t kPartWords = 32;  // about as many as an excerpt has
/// Positions that are read of one list. Enough for a word that makes up 1 % of a text of 200,000 words.
constexpr std::size_t kMaxPositions = 2'000;
/// Pieces that are read first if a word of the item may be anywhere.
constexpr std::size_t kFirstPieces = 8;

}  // namespace

HitTexts::HitTexts(const Segment& segment, const SegmentPlan& plan, const text::ExcerptMaker& maker,
                   Workspace& workspace)
    : segment_(segment),
      plan_(plan),
      maker_(maker),
      analyzer_(workspace.analyzer),
      texts_(segment.store(), workspace.decompressor) {}

Result<const HitText*> HitTexts::read(std::uint32_t document) {
  const auto language = static_cast<text::Language>(segment_.columns().languages()[document]);
  KBASE_TRY(texts_.select(document));
  KBASE_TRY(read_details());
  const auto source = KBASE_TRY(read_source(document));
  text::Excerpt excerpt = maker_.make(analyzer_, source, language, words_);
  if (!excerpt.match && (source.begin > 0 || (source.is_cut_off && has_unplaced_))) {
    const auto all = KBASE_TRY(texts_.content(0, texts_.content_bytes()));
    excerpt = maker_.make(analyzer_, all, language, words_);
  }
  hit_.excerpt = std::move(excerpt.text);
  hit_.section.reset();
  if (excerpt.match) KBASE_TRY(find_section(*excerpt.match));
  return &hit_;
}

Status HitTexts::read_details() {
  const std::size_t size = texts_.details_bytes();
  const auto first = KBASE_TRY(texts_.details(0, std::min(size, kBlockBytes)));
  // If the first block ends before the sections, members may be missing at its end.
  if (unpack_details(first, hit_.details) && (first.size() == size || hit_.details.sections < first.size())) return {};
  const auto all = KBASE_TRY(texts_.details(0, size));
  return unpack_details(all, hit_.details) ? Status() : corrupt_error("the details of an item are damaged");
}

/// Returns the content, or the part of a long one that has the most words of the query.
Result<text::ExcerptSource> HitTexts::read_source(std::uint32_t document) {
  find_words(document);
  if (texts_.pieces() == 0) {
    const auto content = KBASE_TRY(texts_.content(0, texts_.content_bytes()));
    return text::ExcerptSource(content);
  }
  const auto start = KBASE_TRY(texts_.mark(0));
  std::erase_if(occurrences_, [&](const Occurrence& each) { return each.position < start.position; });
  if (occurrences_.empty()) return read_pieces(0, has_unplaced_ ? kFirstPieces : 1);
  add_pairs();
  const Part part = find_best_part();
  const auto first = KBASE_TRY(find_piece(part.first));
  // If the next word begins in another piece, the last one may end there.
  const auto last = KBASE_TRY(find_piece(part.last + 1));
  return read_pieces(first, std::clamp(last, first, first + 1) + 1);
}

Result<text::ExcerptSource> HitTexts::read_pieces(std::size_t first, std::size_t end) {
  const std::size_t size = texts_.content_bytes();
  const std::size_t begin = first * kBlockBytes;
  const auto mark = KBASE_TRY(texts_.mark(first));
  const auto bytes = KBASE_TRY(texts_.content(begin, std::min(end * kBlockBytes, size)));
  return text::ExcerptSource(bytes, begin, mark.begins_in_word, size);
}

/// Returns the piece in which the word at the position begins.
Result<std::size_t> HitTexts::find_piece(std::uint32_t position) const {
  std::size_t begin = 0;
  for (std::size_t size = texts_.pieces(); size > 1;) {
    const std::size_t half = size / 2;
    const auto mark = KBASE_TRY(texts_.mark(begin + half));
    if (mark.position <= position) begin += half;
    size -= half;
  }
  return begin;
}

Status HitTexts::find_section(std::size_t place) {
  const std::size_t size = texts_.details_bytes();
  std::size_t begin = hit_.details.sections;
  if (texts_.pieces() > 0) {
    const auto mark = KBASE_TRY(texts_.mark(place / kBlockBytes));
    begin = std::max<std::size_t>(begin, mark.section);
  }
  SectionFinder finder(place);
  for (std::size_t end = begin; end < size && !finder.is_done();) {
    end = std::min(size, end + kBlockBytes);
    const auto sections = KBASE_TRY(texts_.details(begin, end));
    begin += finder.add(sections);
  }
  hit_.section = finder.section();
  return {};
}

/// Finds which words the item has, and where.
void HitTexts::find_words(std::uint32_t document) {
  const auto number = static_cast<std::uint16_t>(document % kWindowDocuments);
  const auto window_of = [&](const PostingList& list) { return list.window_numbered(document / kWindowDocuments); };
  words_ = 0;
  has_unplaced_ = false;
  occurrences_.clear();
  for (std::uint32_t word = 0; word < plan_.words.size(); ++word) {
    const PlannedWord& planned = plan_.words[word];
    if (std::none_of(planned.matching.begin(), planned.matching.end(),
                     [&](const PostingList& list) { return window_of(list).contains(number); }))
      continue;
    ++words_;
    if (texts_.pieces() == 0) continue;
    const std::size_t before = occurrences_.size();
    for (const PostingList& list : planned.scored) {
      const Window window = window_of(list);
      if (!list.has_positions() || !window.contains(number)) continue;
      PositionReader reader = window.positions(window.rank(number));
      std::uint32_t position = 0;
      for (std::size_t i = 0; i < kMaxPositions && reader.next(position); ++i) occurrences_.push_back({position, word});
    }
    has_unplaced_ = has_unplaced_ || occurrences_.size() == before;
  }
}

/// Sorts the occurrences, and adds the beginnings of pairs of words.
void HitTexts::add_pairs() {
  const auto by_position = [](const Occurrence& a, const Occurrence& b) {
    return a.position != b.position ? a.position < b.position : a.word < b.word;
  };
  std::sort(occurrences_.begin(), occurrences_.end(), by_position);
  const std::size_t singles = occurrences_.size();
  const auto words = static_cast<std::uint32_t>(plan_.words.size());
  for (std::size_t i = 0; i < singles; ++i) {
    const Occurrence first = occurrences_[i];
    const Occurrence second{first.position + 1, first.word + 1};
    const auto begin = occurrences_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = occurrences_.begin() + static_cast<std::ptrdiff_t>(singles);
    if (std::binary_search(begin, end, second, by_position))
      occurrences_.push_back({first.position, words + first.word});
  }
  std::inplace_merge(occurrences_.begin(), occurrences_.begin() + static_cast<std::ptrdiff_t>(singles),
                     occurrences_.end(), by_position);
}

/// Returns the first part with the most distinct words; among equal ones, that with the most distinct pairs.
HitTexts::Part HitTexts::find_best_part() {
  const std::size_t words = plan_.words.size();
  const auto weight = [words](const Occurrence& each) { return each.word < words ? words : 1; };
  counts_.assign(2 * words, 0);
  Part best{};
  std::size_t most = 0;
  std::size_t sum = 0;
  std::size_t last = 0;
  for (const Occurrence& first : occurrences_) {
    for (; last < occurrences_.size() && occurrences_[last].position - first.position < kPartWords; ++last)
      if (counts_[occurrences_[last].word]++ == 0) sum += weight(occurrences_[last]);
    if (sum > most) {
      most = sum;
      best = {first.position, occurrences_[last - 1].position};
    }
    if (--counts_[first.word] == 0) sum -= weight(first);
  }
  return best;
}

}  // namespace kbase::native_index
