// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/search.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/segments/scoring.hpp"

namespace kbase::native_index {

static_assert(kProximityWindow <= kFieldGap, "a window lies within one field or tag");

void Proximity::begin(std::span<const SegmentPlan> plans) {
  plans_ = plans;
  segment_.reset();
  words_.clear();
  if (plans.empty()) return;
  const std::vector<PlannedWord>& words = plans.front().words;  // weights are equal in all segments
  for (std::uint32_t word = 0; word < words.size(); ++word)
    if (words[word].weight > 0) words_.push_back(word);
  std::sort(words_.begin(), words_.end(), [&words](std::uint32_t a, std::uint32_t b) {
    return std::tuple(words[b].weight, a) < std::tuple(words[a].weight, b);
  });
  if (words_.size() > kProximityWords) words_.resize(kProximityWords);
}

float Proximity::compute_boost(std::uint32_t segment, std::uint32_t document) {
  const SegmentPlan& plan = plans_[segment];
  if (segment_ != segment) open(segment);
  open_readers(document);
  const float boost = compute_title_boost(plan);
  return proximity_boost(find_heaviest_window(plan)) + boost;
}

void Proximity::open(std::uint32_t segment) {
  segment_ = segment;
  cursors_.clear();
  for (const std::uint32_t word : words_)
    for (const PostingList& list : plans_[segment].words[word].scored) cursors_.push_back({&list, word, {}});
}

/// Opens the lists that have the document at their first occurrence.
void Proximity::open_readers(std::uint32_t document) {
  readers_.clear();
  for (ListCursor& cursor : cursors_) {
    if (cursor.window != document / kWindowDocuments) {
      cursor.window = document / kWindowDocuments;
      cursor.postings = WindowCursor(cursor.list->window_numbered(cursor.window));
    }
    if (cursor.postings.next_at_or_after(document % kWindowDocuments) != document % kWindowDocuments) continue;
    Reader reader{{0, cursor.word}, cursor.postings.positions()};
    if (reader.positions.next(reader.next.position)) readers_.push_back(reader);
  }
}

/// Requires readers at their first occurrences.
float Proximity::compute_title_boost(const SegmentPlan& plan) const {
  std::uint64_t in_title = 0;
  for (const std::uint32_t word : words_) {
    if (!plan.words[word].is_essential) continue;
    const bool is_in_title = std::any_of(readers_.begin(), readers_.end(), [word](const Reader& each) {
      return each.next.word == word && each.next.position < kFieldGap;
    });
    if (!is_in_title) return 0;
    in_title += plan.words[word].weight;
  }
  return title_boost(in_title);
}

/// Returns the largest total weight of the words in a window. Reads on only while a later window may be heavier.
std::uint64_t Proximity::find_heaviest_window(const SegmentPlan& plan) {
  counts_.assign(plan.words.size(), {});
  std::uint64_t possible = 0;
  for (const Reader& each : readers_)
    if (!std::exchange(counts_[each.next.word].has_readers, true)) possible += plan.words[each.next.word].weight;
  std::make_heap(readers_.begin(), readers_.end(), is_behind);
  window_.clear();
  std::size_t first = 0;
  std::uint64_t heaviest = 0;
  std::uint64_t weight = 0;
  for (Occurrence next; heaviest < possible && read_next(next);) {
    window_.push_back(next);
    if (counts_[next.word].in_window++ == 0) weight += plan.words[next.word].weight;
    for (; std::uint64_t{window_[first].position} + kProximityWindow <= next.position; ++first)
      if (--counts_[window_[first].word].in_window == 0) weight -= plan.words[window_[first].word].weight;
    heaviest = std::max(heaviest, weight);
  }
  return heaviest;
}

/// Reads the next of the first kProximityPositions occurrences of each word; several lists of a word may have the same.
bool Proximity::read_next(Occurrence& next) {
  while (!readers_.empty()) {
    std::pop_heap(readers_.begin(), readers_.end(), is_behind);
    Reader& reader = readers_.back();
    next = reader.next;
    WordCount& count = counts_[next.word];
    const bool is_new = count.read == 0 || count.last_position != next.position;
    if (count.read == kProximityPositions || !reader.positions.next(reader.next.position))
      readers_.pop_back();
    else
      std::push_heap(readers_.begin(), readers_.end(), is_behind);
    if (!is_new || count.read == kProximityPositions) continue;
    ++count.read;
    count.last_position = next.position;
    return true;
  }
  return false;
}

}  // namespace kbase::native_index
