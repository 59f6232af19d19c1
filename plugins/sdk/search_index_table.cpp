// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/index_writer_table.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

using Build = ports::SearchIndex::Build;

ports::SearchIndex& of(kb_search_index* index) noexcept {
  return port_of<ports::SearchIndex>(index);
}

class Hits : public Sink<kb_hit_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::SearchHit& hit) {
    const std::span<kb_mark> highlights = marks_.of(hit.title_highlights.size() + hit.excerpt_highlights.size());
    const auto excerpt_highlights =
        std::transform(hit.title_highlights.begin(), hit.title_highlights.end(), highlights.begin(), in_c);
    std::transform(hit.excerpt_highlights.begin(), hit.excerpt_highlights.end(), excerpt_highlights, in_c);
    auto row = sized<kb_hit>();
    row.relevance = hit.relevance;
    row.id = view_of(hit.id);
    row.title = view_of(hit.title);
    row.category = view_of(hit.category);
    row.excerpt = view_of(hit.excerpt);
    row.title_marks = highlights.data();
    row.title_mark_count = hit.title_highlights.size();
    row.excerpt_marks = highlights.data() + row.title_mark_count;
    row.excerpt_mark_count = hit.excerpt_highlights.size();
    return lend(&row);
  }

 private:
  static kb_mark in_c(const model::Highlight& mark) noexcept { return {mark.begin, mark.end}; }

  SmallArray<kb_mark, kFewTexts> marks_;
};

class Words : public Sink<kb_word_sink> {
 public:
  using Sink::Sink;
  model::Visit operator()(const ports::WordCompletion& each) { return lend(view_of(each.word), each.items); }
};

/// A request of the port together with the query tree that it points to.
struct Request {
  std::optional<model::QueryNode> query;
  ports::SearchRequest request;
};

model::Result<model::Sort> sort_of(std::int32_t sort) {
  switch (sort) {
    case KB_SORT_RELEVANCE:
      return model::Sort::Relevance;
    case KB_SORT_DATE:
      return model::Sort::Date;
    case KB_SORT_POPULARITY:
      return model::Sort::Popularity;
    default:
      return model::invalid_argument("sort", "this plugin does not know the order");
  }
}

model::Status read(const kb_search_request& asked, Request& out) {
  const auto sort = sort_of(asked.sort);
  if (!sort) return sort.error();
  if (asked.query != nullptr) {
    auto query = FromC::query(*asked.query);
    if (!query) return query.error();
    out.query = *std::move(query);
    out.request.query = &*out.query;
  }
  ports::SearchFilter& filter = out.request.filter;
  if (asked.category != nullptr) filter.category = text_of(*asked.category);
  out.request.sort = *sort;
  out.request.offset = asked.offset;
  out.request.limit = asked.limit;
  out.request.fallback_below = asked.fallback_below;
  if (asked.tag != nullptr) filter.tag = text_of(*asked.tag);
  if (asked.updated_from != nullptr) filter.updated_from = day_of(*asked.updated_from);
  if (asked.updated_to != nullptr) filter.updated_to = day_of(*asked.updated_to);
  out.request.highlights = (asked.wants & KB_WANTS_MARKS) != 0;
  out.request.facets.categories = (asked.wants & KB_WANTS_CATEGORIES) != 0;
  out.request.facets.tags = (asked.wants & KB_WANTS_TAGS) != 0;
  return {};
}

void give_facet(const kb_search_request& asked, void* data, std::int32_t facet,
                const std::vector<ports::FacetValue>& values) {
  for (const ports::FacetValue& each : values) asked.facet(data, facet, view_of(each.value), each.items);
}

void give_answer(const ports::SearchResult& answer, kb_search_answer& out) noexcept {
  kb_search_answer filled{sizeof filled,         answer.rule == model::MatchRule::AnyWord,
                          answer.total,          answer.revision,
                          answer.views_revision, {}};
  std::copy(answer.store_id.begin(), answer.store_id.end(), filled.lineage);
  fill_in(filled, out);
}

kb_view fingerprint(kb_search_index* index) noexcept {
  return view_of(of(index).fingerprint());
}

kb_status search(kb_search_index* index, kb_call* call, const kb_search_request* asked, kb_hit_sink sink,
                 kb_correction_sink correction, void* data, kb_search_answer* out) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Request request;
    if (const auto readable = read(*asked, request); !readable) return failed(call, readable.error());
    Hits hits(sink, data);
    const auto answer = of(index).search(inner, request.request, hits);
    if (!answer) return failed(call, answer.error());
    for (const ports::Correction& word : answer->corrections)
      correction(data, view_of(word.word), view_of(word.replacement));
    give_facet(*asked, data, KB_FACET_CATEGORY, answer->facets.categories);
    give_facet(*asked, data, KB_FACET_TAG, answer->facets.tags);
    give_answer(*answer, *out);
    return hits.stopped() ? KB_STOPPED : KB_OK;
  });
}

kb_status complete(kb_search_index* index, kb_call* call, kb_view beginning, std::uint64_t limit, kb_word_sink sink,
                   void* data) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    Words words(sink, data);
    const model::Status completed = of(index).complete(inner, text_of(beginning), limit, words);
    return ended(call, completed, words);
  });
}

kb_status state(kb_search_index* index, kb_call* call, kb_index_state* out) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    const auto state = of(index).state(inner);
    if (!state) return failed(call, state.error());
    kb_index_state filled{sizeof filled, state->complete, state->revision, state->views_revision, state->documents, {}};
    std::copy(state->store_id.begin(), state->store_id.end(), filled.lineage);
    fill_in(filled, *out);
    return KB_OK;
  });
}

kb_status begin(kb_search_index* index, kb_call* call, std::int32_t build, const std::uint8_t store_id[16],
                kb_index_writer** writer) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    if (build != KB_BUILD_UPDATE && build != KB_BUILD_REBUILD)
      return failed(call, model::invalid_argument("build", "this plugin does not know the kind of batch"));
    model::StoreId store;
    std::copy_n(store_id, store.size(), store.begin());
    auto begun = of(index).begin(inner, build == KB_BUILD_UPDATE ? Build::Update : Build::Rebuild, store);
    if (!begun) return failed(call, begun.error());
    *writer = index_writer::handle_of(*std::move(begun));
    return KB_OK;
  });
}

kb_status set_views(kb_search_index* index, kb_call* call, const kb_view_count* totals, std::size_t count,
                    std::uint64_t views_revision) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    std::vector<ports::ItemViews> views;
    views.reserve(count);
    for (std::size_t i = 0; i < count; ++i) views.push_back({text_of(totals[i].item), totals[i].views});
    return ended(call, of(index).set_views(inner, views, views_revision));
  });
}

kb_status verify(kb_search_index* index, kb_call* call) noexcept {
  return guarded(call, [&](ports::Call& inner) { return ended(call, of(index).verify(inner)); });
}

}  // namespace

constinit const kb_search_index_v1 InC<ports::SearchIndex>::kCalls = {
    .struct_size = sizeof(kb_search_index_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health<ports::SearchIndex>,
    .fingerprint = fingerprint,
    .search = search,
    .state = state,
    .begin = begin,
    .set_views = set_views,
    .verify = verify,
    .put = index_writer::put,
    .remove = index_writer::remove,
    .commit = index_writer::commit,
    .abort = index_writer::abort,
    .complete = complete,
};

}  // namespace kbase::sdk
