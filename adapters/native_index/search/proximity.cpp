// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/search.hpp"

#include <algorithm>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/segments/scoring.hpp"

namespace kbase::native_index {

static_assert(kProximityWindow <= kFieldGap, "a window lies within one field or tag");

Proximity::Proximity(std::span<const SegmentPlan> plans) : plans_(plans) {
  if (plans.empty()) return;
  const std::vector<PlannedWord>& words = plans.front().words;  // weights are equal in all segments
  for (std::uint32_t word = 0; word < words.size(); ++word)
    if (words[word].weight > 0) words_.push_back(word);
  std::stable_sort(words_.begin(), words_.end(),
                   [&words](std::uint32_t a, std::uint32_t b) { return words[a].weight > words[b].weight; });
  if (words_.size() > kProximityWords) words_.resize(kProximityWords);
}

float Proximity::compute_boost(std::uint32_t segment, std::uint32_t document) {
  const SegmentPlan& plan = plans_[segment];
  if (segment_ != segment) open(segment);
  occurrences_.clear();
  std::uint64_t in_title = 0;
  bool has_title_all = true;
  for (const std::uint32_t word : words_) {
    read_positions(word, document);
    if (plan.words[word].is_essential) {
      in_title += plan.words[word].weight;
      has_title_all = has_title_all && !positions_.empty() && positions_.front() < kFieldGap;
    }
    for (const std::uint32_t position : positions_) occurrences_.push_back({position, word});
  }
  std::sort(occurrences_.begin(), occurrences_.end(),
            [](const Occurrence& a, const Occurrence& b) { return a.position < b.position; });
  return proximity_boost(find_heaviest_window(plan)) + (has_title_all ? title_boost(in_title) : 0);
}

void Proximity::open(std::uint32_t segment) {
  segment_ = segment;
  cursors_.clear();
  for (const std::uint32_t word : words_)
    for (const PostingList& list : plans_[segment].words[word].scored) cursors_.push_back({&list, word, {}});
}

/// Reads the first positions of the word in the document.
void Proximity::read_positions(std::uint32_t word, std::uint32_t document) {
  positions_.clear();
  std::size_t lists = 0;
  for (ListCursor& cursor : cursors_) {
    if (cursor.word != word) continue;
    if (cursor.window != document / kWindowDocuments) {
      cursor.window = document / kWindowDocuments;
      cursor.postings = WindowCursor(cursor.list->window_numbered(cursor.window));
    }
    ++lists;
    if (cursor.postings.next_at_or_after(document % kWindowDocuments) != document % kWindowDocuments) continue;
    PositionReader reader = cursor.postings.positions();
    std::uint32_t position = 0;
    for (std::size_t i = 0; i < kProximityPositions && reader.next(position); ++i) positions_.push_back(position);
  }
  if (lists < 2) return;
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
  if (positions_.size() > kProximityPositions) positions_.resize(kProximityPositions);
}

std::uint64_t Proximity::find_heaviest_window(const SegmentPlan& plan) {
  counts_.assign(plan.words.size(), 0);
  std::uint64_t heaviest = 0;
  std::uint64_t weight = 0;
  std::size_t first = 0;
  for (const Occurrence& each : occurrences_) {
    if (counts_[each.word]++ == 0) weight += plan.words[each.word].weight;
    for (; occurrences_[first].position + kProximityWindow <= each.position; ++first)
      if (--counts_[occurrences_[first].word] == 0) weight -= plan.words[occurrences_[first].word].weight;
    heaviest = std::max(heaviest, weight);
  }
  return heaviest;
}

}  // namespace kbase::native_index
