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
    read(words_[i], document);
    if (!keep_begins_of(words_[i])) return false;
  }
  return !begins_.empty();
}

/// Keeps the begins from which the word, whose positions were read, stands where it should.
bool PhraseFinder::keep_begins_of(const Word& word) {
  std::size_t kept = 0;
  auto next = positions_.begin();
  for (const std::uint32_t begin : begins_) {
    while (next != positions_.end() && *next < begin + word.offset) ++next;
    if (next == positions_.end()) break;
    if (*next == begin + word.offset) begins_[kept++] = begin;
  }
  begins_.resize(kept);
  return kept > 0;
}

void PhraseFinder::read(Word& word, std::uint16_t document) {
  positions_.clear();
  for (WindowCursor& list : word.lists) {
    if (list.document() < document) list.next_at_or_after(document);
    if (list.document() != document) continue;
    PositionReader reader = list.positions();
    for (std::uint32_t position = 0; reader.next(position);) positions_.push_back(position);
  }
  if (word.lists.size() > 1) std::sort(positions_.begin(), positions_.end());
}

}  // namespace kbase::native_index
