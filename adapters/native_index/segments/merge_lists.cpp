// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <optional>
#include <queue>
#include <string>

#include "adapters/native_index/postings/posting_list.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"

namespace kbase::native_index {
namespace {

/// Iterates over all postings of a list in document order and returns their positions undecoded. A view of the list's
/// sections. Not thread-safe. Even in damaged lists, documents ascend and impacts are 1..255.
class PostingCursor {
 public:
  PostingCursor() = default;
  PostingCursor(const PostingCursor&) = delete;
  PostingCursor& operator=(const PostingCursor&) = delete;

  void open(const PostingList& list) {
    list_ = list;
    next_window_ = 0;
    next_span_ = kSpans;
    documents_ = {};
    index_ = 0;
    next_rank_ = 0;
    min_document_ = 0;
    positions_ = {};
    reader_ = list.window(0).positions(0);
    damaged_ = list.documents() == 0;
  }

  /// Moves to the next posting; the first call moves to the first posting. Returns false at the end, or if the rest is
  /// damaged.
  bool next() {
    if (index_ == documents_.size() && !next_run()) return false;
    const std::uint64_t document = std::uint64_t{window_.number()} * kWindowDocuments + documents_[index_];
    impact_ = impacts_[index_];
    ++index_;
    ++next_rank_;
    if (document < min_document_ || impact_ == 0) return mark_damaged();
    min_document_ = document + 1;
    document_ = static_cast<std::uint32_t>(document);
    if (!list_.has_positions()) return true;
    positions_ = reader_.read_encoded();
    return ends_posting(positions_) || mark_damaged();
  }

  std::uint32_t document() const { return document_; }
  /// Returns the document `postings` behind the current one; nullopt: that is in another run.
  std::optional<std::uint32_t> document_behind(std::size_t postings) const {
    const std::size_t at = index_ - 1 + postings;
    if (at >= documents_.size()) return std::nullopt;
    return window_.number() * kWindowDocuments + documents_[at];
  }
  std::size_t rank() const { return next_rank_ - 1; }  ///< in the list
  std::uint8_t impact() const { return impact_; }
  std::span<const std::uint8_t> positions() const { return positions_; }  ///< empty if the list has no positions
  bool damaged() const { return damaged_; }

 private:
  /// Moves to the next run that has postings: an array window, or a span of a bitmap window.
  bool next_run() {
    for (index_ = 0, documents_ = {}; documents_.empty() && !damaged_;) {
      if (next_span_ < kSpans ? !open_span() : !open_window()) return false;
    }
    return !damaged_;
  }
  bool open_window() {
    if (next_window_ == list_.windows()) return false;
    window_ = list_.window(next_window_++);
    if (window_.count() == 0) return mark_damaged();
    next_span_ = window_.is_bitmap() ? 0 : kSpans;
    documents_ = window_.array();
    impacts_ = window_.impacts().data();
    return true;
  }
  bool open_span() {
    const Span span = window_.span(next_span_++);
    documents_ = window_.documents(span, scratch_);
    impacts_ = window_.impacts().data() + span.begin;
    return documents_.size() == span.end - span.begin || mark_damaged();
  }
  bool mark_damaged() {
    damaged_ = true;
    documents_ = {};
    index_ = 0;
    next_span_ = kSpans;
    next_window_ = list_.windows();
    return false;
  }

  PostingList list_;
  std::uint32_t next_window_ = 0;
  Window window_;
  std::uint32_t next_span_ = kSpans;          // next span of a bitmap, which is listed span by span
  std::span<const std::uint16_t> documents_;  // current run: an array window, or a bitmap's span
  const std::uint8_t* impacts_ = nullptr;
  std::size_t index_ = 0;
  std::size_t next_rank_ = 0;
  std::uint64_t min_document_ = 0;  // lowest valid next document
  PositionReader reader_;           // at the next posting's positions
  Window::SpanScratch scratch_;

  std::uint32_t document_ = 0;
  std::uint8_t impact_ = 0;
  std::span<const std::uint8_t> positions_;
  bool damaged_ = false;
};

/// Iterates over a source's terms, and over the current term's postings of live documents with their new numbers.
class SourceLists {
 public:
  SourceLists(const MergeSource& source, std::span<const std::uint32_t> map)
      : source_(source), map_(map), terms_(source.segment->dictionary().all()) {}

  bool next_term() {
    if (!terms_.next()) return false;
    list_ = source_.segment->list(terms_.entry());
    prefetch_first_numbers();
    return true;
  }
  bool has_damaged_terms() const { return terms_.damaged(); }
  std::string_view term() const { return terms_.term(); }
  /// Opens the list of the current term at its first live posting. Errors: Corrupt.
  Status open_list() {
    has_positions_ = list_.has_positions();
    if (list_.documents() != terms_.entry().documents) return unreadable_error();
    postings_.open(list_);
    words_ = source_.segment->words().find(terms_.entry());
    return next();
  }

  /// Moves to the next live posting, or to the end. Errors: Corrupt.
  Status next() {
    document_ = kNoDocument;
    while (document_ == kNoDocument && postings_.next()) {
      if (postings_.document() >= map_.size()) return unreadable_error();
      document_ = map_[postings_.document()];
      if (const auto behind = postings_.document_behind(kPrefetchedPostings)) prefetch_number(*behind);
    }
    return postings_.damaged() ? unreadable_error() : Status();
  }

  bool at_end() const { return document_ == kNoDocument; }
  bool has_positions() const { return has_positions_; }
  std::uint32_t document() const { return document_; }  ///< new number
  std::span<const std::uint8_t> positions() const { return postings_.positions(); }

  std::uint8_t impact() const { return postings_.impact(); }
  bool is_word() const { return words_.contains(postings_.rank()); }  ///< the document contains the term as a word

  Error unreadable_error() const { return corrupt_source_error(source_, "terms or postings cannot be read"); }

 private:
  static constexpr std::size_t kPrefetchedPostings = 8;

  // The documents of a list are anywhere in the map: without prefetching, a merge waits a third of its time for it.
  void prefetch_first_numbers() const {
    if (list_.windows() == 0) return;
    const Window window = list_.window(0);
    const std::span<const std::uint16_t> documents = window.array();
    for (std::size_t i = 0; i < std::min(documents.size(), kPrefetchedPostings); ++i)
      prefetch_number(window.number() * kWindowDocuments + documents[i]);
  }

  void prefetch_number(std::uint32_t document) const {
    if (document < map_.size()) __builtin_prefetch(&map_[document]);
  }

  const MergeSource& source_;
  std::span<const std::uint32_t> map_;
  TermCursor terms_;
  PostingList list_;  // of the current term
  PostingCursor postings_;
  WordPostings words_{false};
  bool has_positions_ = false;
  std::uint32_t document_ = kNoDocument;
};

class ListMerge {
 public:
  ListMerge(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, StopPoller& stop_poller)
      : all_(sources), lists_(file), stop_poller_(stop_poller) {
    for (std::size_t i = 0; i < sources.size(); ++i) same_term_.push_back(&sources_.emplace_back(sources[i], map[i]));
  }

  Status run() {
    KBASE_TRY(lists_.begin());
    KBASE_TRY(next_terms());
    while (!active_.empty()) {
      select_lowest_term();
      KBASE_TRY(merge_term());
      KBASE_TRY(next_terms());
    }
    return lists_.finish(stop_poller_.stop());
  }

 private:
  void select_lowest_term() {
    same_term_.clear();
    do {
      same_term_.push_back(active_.top());
      active_.pop();
    } while (!active_.empty() && active_.top()->term() == same_term_.front()->term());
    term_ = same_term_.front()->term();
  }

  /// Advances the sources that have the current term.
  Status next_terms() {
    for (SourceLists* source : same_term_) {
      const bool has_term = source->next_term();
      if (source->has_damaged_terms() || (has_term && source->term() <= term_)) return source->unreadable_error();
      if (has_term) active_.push(source);
    }
    return {};
  }

  Status merge_term() {
    open_.clear();
    for (SourceLists* source : same_term_) {
      KBASE_TRY(source->open_list());
      if (source->at_end()) continue;
      open_.push_back({source->document(), source});
      if (source->has_positions() != open_.front().source->has_positions()) return source->unreadable_error();
    }
    while (!open_.empty()) KBASE_TRY(copy_run());
    if (stop_poller_.should_stop()) return cancelled_error();
    if (copied_ >= kPostingsPerRelease) {
      release(all_);
      copied_ = 0;
    }
    return lists_.end_term(term_);
  }

  /// Copies postings of the source with the lowest document, up to the next document of another source.
  Status copy_run() {
    std::size_t first = 0;
    std::uint32_t lowest = open_.front().document;
    std::uint32_t limit = kNoDocument;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      limit = std::min(limit, std::max(open_[i].document, lowest));
      first = open_[i].document < lowest ? i : first;
      lowest = std::min(lowest, open_[i].document);
    }
    SourceLists& source = *open_[first].source;
    do {
      if (stop_poller_.should_stop()) return cancelled_error();
      lists_.postings().add_encoded(source.document(), source.impact(), source.positions());
      lists_.words().add(source.is_word());
      ++copied_;
      KBASE_TRY(source.next());
    } while (source.document() < limit);
    open_[first].document = source.document();
    if (source.at_end()) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(first));
    return {};
  }

  /// The next document of each source is next to that of the others, because each run compares all of them.
  struct OpenSource {
    std::uint32_t document;
    SourceLists* source;
  };

  struct IsAfter {
    bool operator()(const SourceLists* a, const SourceLists* b) const { return a->term() > b->term(); }
  };

  /// The postings of some MiB.
  static constexpr std::size_t kPostingsPerRelease = std::size_t{2} << 20;

  MergeSources all_;
  std::size_t copied_ = 0;  // postings since the last release
  std::deque<SourceLists> sources_;
  std::priority_queue<SourceLists*, std::vector<SourceLists*>, IsAfter> active_;  // have terms behind `term_`
  std::vector<SourceLists*> same_term_;                                           // at `term_`
  std::vector<OpenSource> open_;  // subset of same_term_ with postings left
  std::string term_;
  ListWriter lists_;
  StopPoller& stop_poller_;
};

}  // namespace

Status merge_lists(MergeSources sources, const DocumentMap& map, SectionFileWriter& file, StopPoller& stop_poller) {
  return ListMerge(sources, map, file, stop_poller).run();
}

}  // namespace kbase::native_index
