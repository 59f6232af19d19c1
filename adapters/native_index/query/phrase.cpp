// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/phrase.hpp"

#include <algorithm>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {
namespace {

/// Minimum lists of a word for gather_places(). A prefix may expand to thousands of words, each in few documents.
constexpr std::size_t kManyLists = 8;

}  // namespace

MemoryPostingList PhraseFinder::find(std::span<const Union> words, std::uint32_t windows) {
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
      if (word.lists.size() >= kManyLists) gather_places(word, documents);
    for (const std::uint16_t document : documents)
      if (stands_in(document)) found_.add(window * kWindowDocuments + document, 1);
  }
  return MemoryPostingList(found_);
}

void PhraseFinder::open(std::span<const Union> words, std::uint32_t window) {
  words_.resize(words.size());
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words_[i].offset = i;
    words_[i].documents = 0;
    words_[i].lists.clear();
    words_[i].places.clear();
    words_[i].next_place = 0;
    for (const PostingList& list : words[i]) {
      words_[i].lists.emplace_back(list.window_numbered(window));
      words_[i].documents += list.documents();
    }
  }
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.documents < b.documents; });
}

void PhraseFinder::gather_places(Word& word, std::span<const std::uint16_t> documents) {
  may_match_.clear();
  for (const std::uint16_t document : documents) may_match_.insert(document);
  for (std::uint32_t i = 0; i < word.lists.size(); ++i)
    for (WindowCursor list = word.lists[i]; list.document() != WindowCursor::kEnd; list.next())
      if (const auto document = static_cast<std::uint16_t>(list.document()); may_match_.contains(document))
        word.places.push_back({document, i});
  std::sort(word.places.begin(), word.places.end());
}

/// Returns whether the phrase occurs in `document`. Must be called with ascending documents.
bool PhraseFinder::stands_in(std::uint16_t document) {
  read(words_[0], document);
  begins_.clear();
  for (const std::uint32_t position : positions_)
    if (position >= words_[0].offset) begins_.push_back(position - words_[0].offset);
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (begins_.empty()) return false;
    keep_begins_of(words_[i], document);
  }
  return !begins_.empty();
}

void PhraseFinder::keep_begins_of(Word& word, std::uint16_t document) {
  if (word.lists.size() == 1) {
    // Reads the positions of a frequent word only up to the last candidate.
    PositionReader reader = positions_in(word.lists.front(), document);
    keep_begins(word.offset, [&reader](std::uint32_t& position) { return reader.next(position); });
    return;
  }
  read(word, document);
  keep_begins(word.offset, [next = positions_.begin(), this](std::uint32_t& position) mutable {
    if (next == positions_.end()) return false;
    position = *next++;
    return true;
  });
}

/// Keeps the phrase begins for which `next`, which returns ascending positions, returns begin + offset.
template <class Next>
void PhraseFinder::keep_begins(std::uint32_t offset, Next next) {
  std::size_t kept = 0;
  std::uint32_t position = 0;
  bool is_there = next(position);
  for (const std::uint32_t begin : begins_) {
    while (is_there && position < begin + offset) is_there = next(position);
    if (!is_there) break;
    if (position == begin + offset) begins_[kept++] = begin;
  }
  begins_.resize(kept);
}

void PhraseFinder::read(Word& word, std::uint16_t document) {
  positions_.clear();
  if (word.lists.size() < kManyLists) {
    for (WindowCursor& list : word.lists) read_from(list, document);
  } else {
    const auto is_before = [&] {
      return word.next_place < word.places.size() && word.places[word.next_place].document < document;
    };
    while (is_before()) ++word.next_place;
    for (std::size_t i = word.next_place; i < word.places.size() && word.places[i].document == document; ++i)
      read_from(word.lists[word.places[i].list], document);
  }
  if (word.lists.size() > 1) std::sort(positions_.begin(), positions_.end());
}

void PhraseFinder::read_from(WindowCursor& list, std::uint16_t document) {
  PositionReader reader = positions_in(list, document);
  for (std::uint32_t position = 0; reader.next(position);) positions_.push_back(position);
}

/// Returns an empty reader if the document is not in the list.
PositionReader PhraseFinder::positions_in(WindowCursor& list, std::uint16_t document) {
  if (list.document() < document) list.next_at_or_after(document);
  return list.document() == document ? list.positions() : PositionReader();
}

}  // namespace kbase::native_index
