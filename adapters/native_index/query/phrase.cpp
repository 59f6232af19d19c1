// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/phrase.hpp"

#include <algorithm>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Minimum lists of a word for gather_occurrences(). A prefix may expand to thousands of words, each in few documents.
constexpr std::size_t kManyLists = 8;

}  // namespace

MemoryPostingList PhraseFinder::find(std::span<const Disjunction> words, std::uint32_t windows) {
  found_.clear();
  Matching all;
  all.required.assign(words.begin(), words.end());
  for (std::uint32_t window = 0; window < windows; ++window) {
    const WindowMatches& matches = matcher_.match(all, window);
    if (matches.count() == 0) continue;
    std::span<const std::uint16_t> documents = matches.documents();
    if (matches.is_set()) {
      listed_.resize(kWindowDocuments);
      documents = {listed_.data(), kernels().list(matches.set().words.data(), kWindowWords, 0, listed_.data())};
    }
    open(words, window);
    for (Word& word : words_)
      if (word.lists.size() >= kManyLists) gather_occurrences(word, documents);
    for (const std::uint16_t document : documents)
      if (contains_phrase(document)) found_.add(window * kWindowDocuments + document, 1);
  }
  return MemoryPostingList(found_);
}

void PhraseFinder::open(std::span<const Disjunction> words, std::uint32_t window) {
  words_.resize(words.size());
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words_[i].offset = i;
    words_[i].documents = 0;
    words_[i].lists.clear();
    words_[i].occurrences.clear();
    words_[i].next_occurrence = 0;
    for (const PostingList& list : words[i]) {
      words_[i].lists.emplace_back(list.window_numbered(window));
      words_[i].documents += list.documents();
    }
  }
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.documents < b.documents; });
}

void PhraseFinder::gather_occurrences(Word& word, std::span<const std::uint16_t> documents) {
  candidates_.clear();
  for (const std::uint16_t document : documents) candidates_.insert(document);
  for (std::uint32_t i = 0; i < word.lists.size(); ++i)
    for (WindowCursor list = word.lists[i]; list.document() != WindowCursor::kEnd; list.next())
      if (const auto document = static_cast<std::uint16_t>(list.document()); candidates_.contains(document))
        word.occurrences.push_back({document, i});
  std::sort(word.occurrences.begin(), word.occurrences.end());
}

/// Returns whether the phrase occurs in `document`. Must be called with ascending documents.
bool PhraseFinder::contains_phrase(std::uint16_t document) {
  read_positions(words_[0], document);
  starts_.clear();
  for (const std::uint32_t position : positions_)
    if (position >= words_[0].offset) starts_.push_back(position - words_[0].offset);
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (starts_.empty()) return false;
    filter_starts_by_word(words_[i], document);
  }
  return !starts_.empty();
}

void PhraseFinder::filter_starts_by_word(Word& word, std::uint16_t document) {
  if (word.lists.size() == 1) {
    // Reads the positions of a frequent word only up to the last candidate.
    PositionReader reader = find_positions(word.lists.front(), document);
    filter_starts(word.offset, [&reader](std::uint32_t& position) { return reader.next(position); });
    return;
  }
  read_positions(word, document);
  filter_starts(word.offset, [next = positions_.begin(), this](std::uint32_t& position) mutable {
    if (next == positions_.end()) return false;
    position = *next++;
    return true;
  });
}

/// Keeps the phrase starts for which `next`, which returns ascending positions, returns start + offset.
template <class Next>
void PhraseFinder::filter_starts(std::uint32_t offset, Next next) {
  std::size_t count = 0;
  std::uint32_t position = 0;
  bool has_position = next(position);
  for (const std::uint32_t start : starts_) {
    while (has_position && position < start + offset) has_position = next(position);
    if (!has_position) break;
    if (position == start + offset) starts_[count++] = start;
  }
  starts_.resize(count);
}

void PhraseFinder::read_positions(Word& word, std::uint16_t document) {
  positions_.clear();
  if (word.lists.size() < kManyLists) {
    for (WindowCursor& list : word.lists) append_list_positions(list, document);
  } else {
    const auto is_before = [&] {
      return word.next_occurrence < word.occurrences.size() &&
             word.occurrences[word.next_occurrence].document < document;
    };
    while (is_before()) ++word.next_occurrence;
    for (std::size_t i = word.next_occurrence; i < word.occurrences.size() && word.occurrences[i].document == document;
         ++i)
      append_list_positions(word.lists[word.occurrences[i].list], document);
  }
  if (word.lists.size() > 1) std::sort(positions_.begin(), positions_.end());
}

void PhraseFinder::append_list_positions(WindowCursor& list, std::uint16_t document) {
  PositionReader reader = find_positions(list, document);
  for (std::uint32_t position = 0; reader.next(position);) positions_.push_back(position);
}

/// Returns an empty reader if the document is not in the list.
PositionReader PhraseFinder::find_positions(WindowCursor& list, std::uint16_t document) {
  if (list.document() < document) list.next_at_or_after(document);
  return list.document() == document ? list.positions() : PositionReader();
}

}  // namespace kbase::native_index
