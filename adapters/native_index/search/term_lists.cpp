// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/term_lists.hpp"

#include "adapters/native_index/dictionary/term_filter.hpp"
#include "adapters/native_index/segments/segment.hpp"

namespace kbase::native_index {

void TermLists::begin(const Snapshot& snapshot) {
  snapshot_ = &snapshot;
  terms_.clear();
  buckets_.fill(kNone);
  names_.clear();
  lists_.clear();
}

PostingList TermLists::find(std::string_view term, std::size_t segment) { return lists_[look_up(term) + segment]; }

PostingList TermLists::find(char mark, std::string_view name, std::size_t segment) {
  return find(with_mark(mark, name), segment);
}

bool TermLists::has_item(std::string_view term) {
  const std::size_t first = look_up(term);
  for (std::size_t i = 0; i < snapshot_->segments.size(); ++i)
    if (count_live(lists_[first + i], *snapshot_->segments[i].deleted) > 0) return true;
  return false;
}

bool TermLists::has_item(char mark, std::string_view name) { return has_item(with_mark(mark, name)); }

/// Returns the index of the term's first list.
std::size_t TermLists::look_up(std::string_view term) {
  const std::string_view names(names_);
  std::uint32_t& bucket = buckets_[hash_term(term) % buckets_.size()];
  for (std::uint32_t i = bucket; i != kNone; i = terms_[i].next)
    if (names.substr(terms_[i].begin, terms_[i].size) == term) return i * snapshot_->segments.size();
  terms_.push_back({names_.size(), term.size(), bucket});
  bucket = static_cast<std::uint32_t>(terms_.size() - 1);
  names_ += term;
  const std::size_t first = lists_.size();
  for (const LiveSegment& live : snapshot_->segments) lists_.push_back(live.segment->find_list(term));
  return first;
}

std::string_view TermLists::with_mark(char mark, std::string_view name) { return marked_.assign(1, mark).append(name); }

}  // namespace kbase::native_index
