// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/segments/posting_cursor.hpp"

namespace kbase::native_index {

void PostingCursor::open(const PostingList& list) {
  list_ = list;
  next_window_ = 0;
  next_span_ = kSpans;
  documents_ = {};
  place_ = 0;
  least_ = 0;
  positions_ = {};
  reader_ = list.window(0).positions(0);
  damaged_ = list.documents() == 0;
}

bool PostingCursor::next() {
  if (place_ == documents_.size() && !next_part()) return false;
  const std::uint64_t document = std::uint64_t{window_.number()} * kWindowDocuments + documents_[place_];
  impact_ = impacts_[place_];
  ++place_;
  if (document < least_ || impact_ == 0) return give_up();
  least_ = document + 1;
  document_ = static_cast<std::uint32_t>(document);
  if (!list_.has_positions()) return true;
  positions_ = reader_.take_encoded();
  return ends_posting(positions_) || give_up();
}

/// Moves to the next part that has postings: an array window, or a span of a bitmap window.
bool PostingCursor::next_part() {
  for (place_ = 0, documents_ = {}; documents_.empty() && !damaged_;) {
    if (next_span_ < kSpans ? !enter_span() : !enter_window()) return false;
  }
  return !damaged_;
}

bool PostingCursor::enter_window() {
  if (next_window_ == list_.windows()) return false;
  window_ = list_.window(next_window_++);
  if (window_.count() == 0) return give_up();
  next_span_ = window_.is_bitmap() ? 0 : kSpans;
  documents_ = window_.array();
  impacts_ = window_.impacts().data();
  return true;
}

bool PostingCursor::enter_span() {
  const Span span = window_.span(next_span_++);
  documents_ = window_.documents(span, scratch_);
  impacts_ = window_.impacts().data() + span.begin;
  return documents_.size() == span.end - span.begin || give_up();
}

bool PostingCursor::give_up() {
  damaged_ = true;
  documents_ = {};
  place_ = 0;
  next_span_ = kSpans;
  next_window_ = list_.windows();
  return false;
}

}  // namespace kbase::native_index
