// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/search_index_proxy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/plugin_host/row_sink.hpp"
#include "app/plugin_host/search_sink.hpp"

namespace kbase::plugin_host {
namespace {

using sdk::sized;
using sdk::view_of;

constexpr std::size_t kMaxFingerprintBytes = 4096;

std::int32_t number_of(model::Sort sort) {
  switch (sort) {
    case model::Sort::Relevance:
      return KB_SORT_RELEVANCE;
    case model::Sort::Date:
      return KB_SORT_DATE;
    case model::Sort::Popularity:
      return KB_SORT_POPULARITY;
  }
  return KB_SORT_RELEVANCE;
}

/// Returns true if `hits` is the size of the requested page for `total` matches, or at most that if the visitor
/// stopped.
bool fits(std::uint64_t hits, std::uint64_t total, const ports::SearchRequest& request, bool stopped) {
  const std::uint64_t rest = total - std::min(total, request.offset);
  const std::uint64_t page = std::min(rest, request.limit);
  return stopped ? hits <= page : hits == page;
}

/// Returns true if no value has more items than there are matches.
bool are_of(const std::vector<ports::FacetValue>& values, std::uint64_t total) {
  return std::all_of(values.begin(), values.end(), [&](const ports::FacetValue& each) { return each.items <= total; });
}

std::uint32_t wants_of(const ports::SearchRequest& request) {
  return (request.highlights ? KB_WANTS_MARKS : 0) | (request.facets.categories ? KB_WANTS_CATEGORIES : 0) |
         (request.facets.tags ? KB_WANTS_TAGS : 0);
}

ports::SearchResult answer_of(const kb_search_answer& given, SearchSink& sink) {
  ports::SearchResult answer;
  answer.total = given.total;
  answer.rule = given.any_word != 0 ? model::MatchRule::AnyWord : model::MatchRule::AllWords;
  std::copy(std::begin(given.lineage), std::end(given.lineage), answer.store_id.begin());
  answer.revision = given.revision;
  answer.views_revision = given.views_revision;
  answer.corrections = std::move(sink.corrections());
  answer.facets = std::move(sink.facets());
  return answer;
}

}  // namespace

model::Result<std::unique_ptr<SearchIndexProxy>> SearchIndexProxy::make(std::unique_ptr<SearchIndexInstance> instance) {
  kb_view fingerprint{};
  instance->run("search_index.fingerprint", [&] { fingerprint = instance->table().fingerprint(instance->object()); });
  if (fingerprint.size == 0 || fingerprint.size > kMaxFingerprintBytes || fingerprint.data == nullptr)
    return model::Error{
        model::ErrorCode::Internal,
        "The plugin " + instance->host().plugin_id() + " broke a rule of its port; the log says which.",
        instance->host().plugin_id() + ": search_index.fingerprint: it is no text of at most 4096 bytes",
        {},
        {}};
  std::string kept(sdk::text_of(fingerprint));
  return std::make_unique<SearchIndexProxy>(std::move(instance), std::move(kept));
}

SearchIndexProxy::SearchIndexProxy(std::unique_ptr<SearchIndexInstance> instance, std::string fingerprint)
    : instance_(std::move(instance)),
      table_(instance_->table()),
      index_(instance_->object()),
      fingerprint_(std::move(fingerprint)) {}

ports::SearchIndex::Capabilities SearchIndexProxy::capabilities() const {
  return {.persistent = instance_->can(KB_SEARCH_INDEX_CAN_PERSIST),
          .inline_search = instance_->runs_inline(KB_SEARCH_INDEX_INLINE_SEARCH),
          .stemming = instance_->can(KB_SEARCH_INDEX_CAN_STEM),
          .segmentation = instance_->can(KB_SEARCH_INDEX_CAN_SEGMENT),
          .typo_tolerance = instance_->can(KB_SEARCH_INDEX_CAN_CORRECT),
          .popularity_lag = instance_->can(KB_SEARCH_INDEX_HAS_POPULARITY_LAG),
          .shared = instance_->can(KB_SEARCH_INDEX_IS_SHARED),
          .filters = instance_->can(KB_SEARCH_INDEX_CAN_FILTER),
          .facets = instance_->can(KB_SEARCH_INDEX_CAN_COUNT),
          .highlights = instance_->can(KB_SEARCH_INDEX_CAN_MARK),
          .completions = completes()};
}

bool SearchIndexProxy::completes() const {
  return instance_->can(KB_SEARCH_INDEX_CAN_COMPLETE) && KB_HAS(&table_, complete) && table_.complete != nullptr;
}

model::Result<ports::SearchResult> SearchIndexProxy::search(ports::Call& call, const ports::SearchRequest& request,
                                                            model::Visitor<ports::SearchHit> visitor) {
  sdk::ToC to_c;
  const ports::SearchFilter& filter = request.filter;
  const kb_view category = view_of(filter.category.value_or(std::string_view()));
  const kb_view tag = view_of(filter.tag.value_or(std::string_view()));
  const std::int32_t from = sdk::number_of(filter.updated_from.value_or(model::Day()));
  const std::int32_t to = sdk::number_of(filter.updated_to.value_or(model::Day()));
  auto asked = sized<kb_search_request>();
  asked.sort = number_of(request.sort);
  asked.query = to_c.query(request.query);
  asked.category = filter.category ? &category : nullptr;
  asked.tag = filter.tag ? &tag : nullptr;
  asked.updated_from = filter.updated_from ? &from : nullptr;
  asked.updated_to = filter.updated_to ? &to : nullptr;
  asked.wants = wants_of(request);
  asked.facet = SearchSink::facet;
  asked.offset = request.offset;
  asked.limit = request.limit;
  asked.fallback_below = request.fallback_below;

  CallFrame frame = instance_->frame("search_index.search", call);
  SearchSink sink(frame, visitor, request.limit);
  auto given = sized<kb_search_answer>();
  const kb_status status =
      frame.run(table_.search, index_, frame.call(), &asked, SearchSink::hit, SearchSink::correction, &sink, &given);
  if (status >= KB_OK && !fits(frame.rows(), given.total, request, frame.stopped()))
    frame.report_violation("lent other hits than its total says there are");
  if (status >= KB_OK && !(are_of(sink.facets().categories, given.total) && are_of(sink.facets().tags, given.total)))
    frame.report_violation("told facets of more items than its total");
  if (auto visited = frame.visited(status); !visited) return visited.error();
  return answer_of(given, sink);
}

model::Status SearchIndexProxy::complete(ports::Call& call, std::string_view beginning, std::size_t limit,
                                         model::Visitor<ports::WordCompletion> visitor) {
  if (!completes()) return SearchIndex::complete(call, beginning, limit, visitor);
  CallFrame frame = instance_->frame("search_index.complete", call);
  RowSink<WordReader, ports::WordCompletion, kb_view, std::uint64_t> sink(frame, visitor, limit);
  return frame.visited(
      frame.run(table_.complete, index_, frame.call(), view_of(beginning), std::uint64_t{limit}, sink.receive, &sink));
}

model::Result<ports::IndexState> SearchIndexProxy::state(ports::Call& call) {
  CallFrame frame = instance_->frame("search_index.state", call);
  auto given = sized<kb_index_state>();
  const kb_status status = frame.run(table_.state, index_, frame.call(), &given);
  if (auto done = frame.done(status); !done) return done.error();
  ports::IndexState state;
  std::copy(std::begin(given.lineage), std::end(given.lineage), state.store_id.begin());
  state.revision = given.revision;
  state.views_revision = given.views_revision;
  state.documents = given.documents;
  state.complete = given.complete != 0;
  return state;
}

model::Result<std::unique_ptr<ports::IndexWriter>> SearchIndexProxy::begin(ports::Call& call, Build build,
                                                                           const model::StoreId& store_id) {
  CallFrame frame = instance_->frame("search_index.begin", call);
  kb_index_writer* writer = nullptr;
  const std::int32_t number = build == Build::Update ? KB_BUILD_UPDATE : KB_BUILD_REBUILD;
  const kb_status status = frame.run(table_.begin, index_, frame.call(), number, store_id.data(), &writer);
  if (status == KB_OK && writer == nullptr) frame.report_violation("said KB_OK and made nothing");
  if (auto done = frame.done(status); !done) return done.error();
  return std::unique_ptr<ports::IndexWriter>(std::make_unique<IndexWriterProxy>(*instance_, writer));
}

model::Status SearchIndexProxy::set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                                          model::ViewsRevision revision) {
  CallFrame frame = instance_->frame("search_index.set_views", call);
  std::vector<kb_view_count> counts;
  counts.reserve(totals.size());
  for (const ports::ItemViews& total : totals) counts.push_back({view_of(total.item), total.views, 0, 0});
  return frame.done(frame.run(table_.set_views, index_, frame.call(), counts.data(), counts.size(), revision));
}

model::Status SearchIndexProxy::verify(ports::Call& call) {
  CallFrame frame = instance_->frame("search_index.verify", call);
  return frame.done(frame.run(table_.verify, index_, frame.call()));
}

// ------------------------------------------------------------------------------------------- batch

IndexWriterProxy::IndexWriterProxy(SearchIndexInstance& instance, kb_index_writer* writer)
    : instance_(instance), table_(instance.table()), writer_(writer) {}

IndexWriterProxy::~IndexWriterProxy() {
  if (writer_ != nullptr) instance_.abort("search_index.abort", table_.abort, writer_);
}

model::Status IndexWriterProxy::put(ports::Call& call, std::span<const model::ItemView* const> items) {
  CallFrame frame = instance_.frame("search_index.put", call);
  const auto lent = to_c_.items(items);
  return frame.done(frame.run(table_.put, writer_, frame.call(), lent.data(), lent.size()));
}

model::Status IndexWriterProxy::remove(ports::Call& call, std::string_view id) {
  CallFrame frame = instance_.frame("search_index.remove", call);
  return frame.done(frame.run(table_.remove, writer_, frame.call(), view_of(id)));
}

model::Status IndexWriterProxy::commit(ports::Call& call, model::Revision revision) {
  CallFrame frame = instance_.frame("search_index.commit", call);
  const kb_status status = frame.run(table_.commit, writer_, frame.call(), revision);
  if (status == KB_OK) writer_ = nullptr;
  return frame.done(status);
}

}  // namespace kbase::plugin_host
