// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/query/phrase.hpp"

#include <algorithm>

#include "adapters/native_index/postings/kernels.hpp"

namespace kbase::native_index {

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
    for (const PostingList& list : words[i]) {
      words_[i].lists.emplace_back(list.window_numbered(window));
      words_[i].documents += list.documents();
    }
  }
  std::sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) { return a.documents < b.documents; });
}

/// Documents come in ascending order.
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
    // Of a frequent word no more is read than up to the last begin.
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

/// Keeps the begins that one of the ascending positions, all of which `next` gives, is so far from.
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
  for (WindowCursor& list : word.lists) {
    PositionReader reader = positions_in(list, document);
    for (std::uint32_t position = 0; reader.next(position);) positions_.push_back(position);
  }
  if (word.lists.size() > 1) std::sort(positions_.begin(), positions_.end());
}

/// None where the document is not in the list.
PositionReader PhraseFinder::positions_in(WindowCursor& list, std::uint16_t document) {
  if (list.document() < document) list.next_at_or_after(document);
  return list.document() == document ? list.positions() : PositionReader();
}

}  // namespace kbase::native_index
