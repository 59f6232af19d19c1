// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <string>

#include "adapters/native_index/segments/list_writer.hpp"
#include "adapters/native_index/segments/merge_parts.hpp"
#include "adapters/native_index/segments/posting_cursor.hpp"

namespace kbase::native_index {
namespace {

/// Iterates over a source's terms, and over the current term's postings of live documents with their new numbers.
class SourceLists {
 public:
  SourceLists(const MergeSource& source, std::span<const std::uint32_t> map, const ImpactScale& scale)
      : source_(source),
        map_(map),
        own_scale_(source.segment->pivot()),
        scale_(scale),
        terms_(source.segment->dictionary().all()) {}

  bool next_term() { return terms_.next(); }
  bool has_damaged_terms() const { return terms_.damaged(); }
  std::string_view term() const { return terms_.term(); }
  bool has_word() const { return terms_.entry().is_word; }

  /// Opens the list of the current term at its first live posting. Errors: Corrupt.
  model::Status open_list() {
    const PostingList list = source_.segment->list(terms_.entry());
    has_positions_ = list.has_positions();
    if (list.documents() != terms_.entry().documents) return damage();
    postings_.open(list);
    return next();
  }

  /// Moves to the next live posting, or to the end. Errors: Corrupt.
  model::Status next() {
    document_ = kNoDocument;
    while (document_ == kNoDocument && postings_.next()) {
      if (postings_.document() >= map_.size()) return damage();
      document_ = map_[postings_.document()];
    }
    return postings_.damaged() ? damage() : model::Status();
  }

  bool at_end() const { return document_ == kNoDocument; }
  bool has_positions() const { return has_positions_; }
  std::uint32_t document() const { return document_; }  ///< new number
  std::span<const std::uint8_t> positions() const { return postings_.positions(); }

  std::uint8_t impact() const {
    if (own_scale_.pivot() == scale_.pivot()) return postings_.impact();
    const std::uint32_t length = source_.segment->columns().lengths()[postings_.document()];
    const std::uint32_t frequency = ImpactScale::frequency(postings_.impact(), own_scale_.saturation(length));
    return ImpactScale::impact(frequency, scale_.saturation(length));
  }

  model::Error damage() const { return damaged_source(source_, "terms or postings that cannot be read"); }

 private:
  const MergeSource& source_;
  std::span<const std::uint32_t> map_;
  ImpactScale own_scale_;
  ImpactScale scale_;
  TermCursor terms_;
  PostingCursor postings_;
  bool has_positions_ = false;
  std::uint32_t document_ = kNoDocument;
};

class ListMerge {
 public:
  ListMerge(MergeSources sources, const DocumentMap& map, const ImpactScale& scale, SectionFileWriter& file,
            Timeout& timeout)
      : lists_(file), timeout_(timeout) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      active_.push_back(&sources_.emplace_back(sources[i], map[i], scale));
  }

  model::Status run() {
    if (const auto begun = lists_.begin(); !begun) return begun;
    same_term_ = active_;
    if (const auto moved = next_terms(); !moved) return moved;
    while (!active_.empty()) {
      take_least_term();
      if (const auto merged = merge_term(); !merged) return merged;
      if (const auto moved = next_terms(); !moved) return moved;
    }
    return lists_.finish(timeout_.stop());
  }

 private:
  void take_least_term() {
    same_term_.clear();
    for (SourceLists* source : active_) {
      const int order = same_term_.empty() ? -1 : source->term().compare(same_term_.front()->term());
      if (order < 0) same_term_.clear();
      if (order <= 0) same_term_.push_back(source);
    }
    term_ = same_term_.front()->term();
  }

  /// Advances the sources that have the current term.
  model::Status next_terms() {
    for (SourceLists* source : same_term_) {
      const bool has_one = source->next_term();
      if (source->has_damaged_terms() || (has_one && source->term() <= term_)) return source->damage();
      if (!has_one) std::erase(active_, source);
    }
    return {};
  }

  model::Status merge_term() {
    open_.clear();
    bool is_word = false;
    for (SourceLists* source : same_term_) {
      if (const auto opened = source->open_list(); !opened) return opened;
      if (source->at_end()) continue;
      open_.push_back(source);
      is_word = is_word || source->has_word();
      if (source->has_positions() != open_.front()->has_positions()) return source->damage();
    }
    while (!open_.empty())
      if (const auto copied = copy_run(); !copied) return copied;
    if (timeout_.is_over()) return cancelled();
    return lists_.end_term(term_, is_word);
  }

  /// Copies postings of the source with the lowest document, up to the next document of another source.
  model::Status copy_run() {
    std::size_t first = 0;
    std::uint32_t limit = kNoDocument;
    for (std::size_t i = 1; i < open_.size(); ++i) {
      const std::uint32_t later = std::max(open_[i]->document(), open_[first]->document());
      if (open_[i]->document() != later) first = i;
      limit = std::min(limit, later);
    }
    SourceLists& source = *open_[first];
    do {
      if (timeout_.is_over()) return cancelled();
      lists_.postings().add_encoded(source.document(), source.impact(), source.positions());
      if (const auto moved = source.next(); !moved) return moved;
    } while (source.document() < limit);
    if (source.at_end()) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(first));
    return {};
  }

  std::deque<SourceLists> sources_;
  std::vector<SourceLists*> active_;     // have terms left
  std::vector<SourceLists*> same_term_;  // subset of active_ at `term_`
  std::vector<SourceLists*> open_;       // subset of same_term_ with postings left
  std::string term_;
  ListWriter lists_;
  Timeout& timeout_;
};

}  // namespace

model::Status merge_lists(MergeSources sources, const DocumentMap& map, const ImpactScale& scale,
                          SectionFileWriter& file, Timeout& timeout) {
  return ListMerge(sources, map, scale, file, timeout).run();
}

}  // namespace kbase::native_index
