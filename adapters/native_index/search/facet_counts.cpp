// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/facet_counts.hpp"

#include <string_view>
#include <utility>

namespace kbase::native_index {
namespace {

template <class Source> std::vector<ports::FacetValue> merge_values(std::vector<Source> sources) {
  std::vector<ports::FacetValue> values;
  for (NamedCount& each : merge_top_names(std::move(sources), ports::kMaxFacetValues))
    values.push_back({std::move(each.name), each.items});
  return values;
}

}  // namespace

/// Iterates over the values of one segment with a count above 0. Skips empty names.
class FacetCounts::CountedNames {
 public:
  CountedNames(const NameTable& names, std::span<const std::uint32_t> counts) : names_(&names), counts_(counts) {}

  bool next() {
    while (next_ < counts_.size() && (counts_[next_] == 0 || names_->name(next_).empty())) ++next_;
    return next_++ < counts_.size();
  }
  std::string_view name() const { return names_->name(next_ - 1); }
  std::uint64_t items() const { return counts_[next_ - 1]; }
  static bool is_wanted() { return true; }

 private:
  const NameTable* names_;
  std::span<const std::uint32_t> counts_;
  std::uint32_t next_ = 0;
};

/// Iterates likewise over values without a column.
class FacetCounts::CountedLists {
 public:
  explicit CountedLists(std::span<const CountedList> lists) : lists_(lists) {}

  bool next() {
    while (next_ < lists_.size() && lists_[next_].items == 0) ++next_;
    return next_++ < lists_.size();
  }
  std::string_view name() const { return lists_[next_ - 1].name; }
  std::uint64_t items() const { return lists_[next_ - 1].items; }
  static bool is_wanted() { return true; }

 private:
  std::span<const CountedList> lists_;
  std::size_t next_ = 0;
};

FacetCounts::FacetCounts(const Snapshot& snapshot, ports::FacetSelection selection)
    : snapshot_(snapshot), selection_(selection) {
  clear();
}

void FacetCounts::clear() {
  if (!are_enabled()) return;
  segments_.resize(snapshot_.segments.size());
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = *snapshot_.segments[i].segment;
    if (selection_.categories) segments_[i].categories.assign(segment.columns().category_names().size(), 0);
    if (selection_.tags) segments_[i].tags.assign(segment.columns().tag_names().size(), 0);
    if (selection_.languages) segments_[i].languages = open_lists(segment, kLanguageMark);
    if (selection_.versions) segments_[i].versions = open_lists(segment, kVersionMark);
  }
}

/// Returns the lists of the terms with the mark.
std::vector<FacetCounts::CountedList> FacetCounts::open_lists(const Segment& segment, char mark) {
  std::vector<CountedList> lists;
  TermCursor terms = segment.dictionary().prefix(std::string_view(&mark, 1));
  while (terms.next()) lists.push_back({std::string(terms.term().substr(1)), segment.list(terms.entry())});
  return lists;
}

void FacetCounts::add(std::uint32_t segment, std::uint32_t window, const WindowMatches& matches,
                      std::span<const std::uint16_t> documents) {
  const Columns& columns = snapshot_.segments[segment].segment->columns();
  Counts& counts = segments_[segment];
  const std::uint32_t before = window * kWindowDocuments;
  if (selection_.categories)
    for (const std::uint16_t document : documents) ++counts.categories[columns.category(before + document)];
  if (selection_.tags)
    for (const std::uint16_t document : documents)
      columns.visit_tags(before + document, [&counts](auto tag) { ++counts.tags[tag]; });
  add_lists(counts.languages, window, matches, documents, scratch_);
  add_lists(counts.versions, window, matches, documents, scratch_);
}

void FacetCounts::add_lists(std::vector<CountedList>& lists, std::uint32_t window, const WindowMatches& matches,
                            std::span<const std::uint16_t> documents, std::vector<std::uint16_t>& scratch) {
  scratch.resize(std::max(scratch.size(), documents.size()));
  for (CountedList& each : lists) {
    const Window postings = each.list.window_numbered(window);
    each.items += matches.is_set() ? postings.count_in(matches.set().words.data())
                                   : postings.intersect(documents, scratch.data()).size();
  }
}

ports::Facets FacetCounts::top_values() const {
  std::vector<CountedNames> categories, tags;
  std::vector<CountedLists> languages, versions;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const Columns& columns = snapshot_.segments[i].segment->columns();
    categories.emplace_back(columns.category_names(), segments_[i].categories);
    tags.emplace_back(columns.tag_names(), segments_[i].tags);
    languages.emplace_back(segments_[i].languages);
    versions.emplace_back(segments_[i].versions);
  }
  return {merge_values(std::move(categories)), merge_values(std::move(tags)), merge_values(std::move(languages)),
          merge_values(std::move(versions))};
}

}  // namespace kbase::native_index
