// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/search.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "adapters/text/excerpt.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/result.hpp"

namespace kbase::opensearch {
namespace {

Json filter_by_kind(const char* kind) { return {{"term", {{"kind", kind}}}}; }

Result<StoredState> require_one_state(std::optional<StoredState> found) {
  if (!found) return no_state_error("OpenSearch has no index state, or more than one");
  return *std::move(found);
}

Result<StoredState> require_closed(Result<StoredState> found) {
  if (found && found->state.is_open)
    return no_state_error(
        "OpenSearch has published an incomplete batch; the server that updates the index writes it again");
  return found;
}

std::vector<text::Language> parse_languages(const Json& items, std::uint64_t documents) {
  std::vector<text::Language> languages;
  const Json& buckets = member(member(items, "languages"), "buckets");
  if (!buckets.is_array()) return languages;
  for (const Json& bucket : buckets) {
    const auto count = static_cast<double>(number(bucket, "doc_count").value_or(0));
    if (count <= 0 || count < text::kMinLanguageShare * static_cast<double>(documents)) break;
    const auto language = text::find_language(text(bucket, "key"));
    if (language && *language != text::Language::None) languages.push_back(*language);
    if (languages.size() == text::kMaxQueryLanguages) break;
  }
  return languages;
}

/// Batches are seconds apart, so the second attempt almost always sees a single state. Rare exceptions: for example, a
/// copy was lost.
constexpr int kMaxAttempts = 5;
constexpr std::chrono::milliseconds kPause{20};

/// Returns the first hits whose contents fit into one response; at least one.
std::span<const PageHit> first_response_part(std::span<const PageHit> hits) {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  while (count < hits.size() && (count == 0 || bytes + hits[count].bytes <= kMaxResponseBytes))
    bytes += hits[count++].bytes;
  return hits.first(count);
}

/// Returns contents by id, as views into the response.
std::unordered_map<std::string_view, std::string_view> parse_contents(const Json& response) {
  std::unordered_map<std::string_view, std::string_view> contents;
  const Json& hits = member(member(response, "hits"), "hits");
  if (!hits.is_array()) return contents;
  for (const Json& each : hits) {
    const Json& stored = member(each, "_source");
    contents[text(stored, "id")] = text(stored, "content");
  }
  return contents;
}

}  // namespace

bool IndexSummary::is_of(const StoredState& other) const {
  return stored.index == other.index && stored.state.revision == other.state.revision &&
         stored.state.store_id == other.state.store_id;
}

bool is_same_state(const IndexSummary& summary, const std::optional<StoredState>& published) {
  return published && !published->state.is_open && summary.is_of(*published);
}

Json state_aggregation() {
  return {{"filter", filter_by_kind(kState)},
          {"aggs", {{"found", {{"top_hits", {{"size", 2}, {"seq_no_primary_term", true}, {"_source", {kState}}}}}}}}};
}

std::optional<StoredState> parse_aggregated_state(const Json& response) {
  const Json& state = member(member(response, "aggregations"), "state");
  const Json& hits = member(member(member(state, "found"), "hits"), "hits");
  if (!hits.is_array() || hits.size() != 1) return std::nullopt;
  return parse_state(hits[0]);
}

std::string Reader::search_path() const {
  return "/" + alias_ + "/_search?" + preference() +
         "&allow_partial_search_results=false&filter_path=error,status,hits.total.value,hits.max_score,"
         "hits.hits._index,hits.hits._score,hits.hits._source,hits.hits._seq_no,hits.hits._primary_term,aggregations";
}

std::string Reader::preference() const { return "preference=" + name_ + "-" + std::to_string(copy_number_); }

Result<StoredState> Reader::read_published_state(ports::Call& call) const {
  const Json body{{"size", 2}, {"seq_no_primary_term", true}, {"query", filter_by_kind(kState)}};
  const auto response =
      KBASE_TRY(server_.execute(call, {.path = search_path(), .body = serialize(body), .attempts = kReadAttempts}));
  const Json& hits = member(member(response, "hits"), "hits");
  const bool is_one = hits.is_array() && hits.size() == 1;
  return require_one_state(is_one ? parse_state(hits[0]) : std::nullopt);
}

Result<StoredState> Reader::read_state(ports::Call& call) const { return require_closed(read_published_state(call)); }

Result<std::shared_ptr<const IndexSummary>> Reader::read(ports::Call& call) {
  const Json body{{"size", 0},
                  {"query", {{"terms", {{"kind", {kItem, kState}}}}}},
                  {"aggs",
                   {{"items",
                     {{"filter", filter_by_kind(kItem)},
                      {"aggs",
                       {{"languages", {{"terms", {{"field", "language"}, {"size", 64}}}}},
                        {"largest", {{"max", {{"field", "bytes"}}}}}}}}},
                    {"state", state_aggregation()}}}};
  const auto response =
      KBASE_TRY(server_.execute(call, {.path = search_path(), .body = serialize(body), .attempts = kReadAttempts}));
  auto found = KBASE_TRY(require_closed(require_one_state(parse_aggregated_state(response))));
  auto summary = std::make_shared<IndexSummary>();
  summary->stored = std::move(found);
  const Json& items = member(member(response, "aggregations"), "items");
  summary->documents = number(items, "doc_count").value_or(0);
  summary->largest = static_cast<std::uint64_t>(std::max(real(member(items, "largest"), "value").value_or(0), 0.0));
  summary->languages = parse_languages(items, summary->documents);
  const std::lock_guard lock(mutex_);
  cached_ = summary;
  return std::shared_ptr<const IndexSummary>(std::move(summary));
}

Result<std::shared_ptr<const IndexSummary>> Reader::cached_or_read(ports::Call& call) {
  if (auto seen = cached()) return seen;
  return read(call);
}

Result<std::shared_ptr<const IndexSummary>> Reader::read_summary_of(ports::Call& call, const StoredState& found) {
  if (auto seen = cached(); seen && seen->is_of(found)) return seen;
  return read(call);
}

std::shared_ptr<const IndexSummary> Reader::cached() const {
  const std::lock_guard lock(mutex_);
  return cached_;
}

Result<ports::SearchResult> Search::run(Visitor<ports::SearchHit> visitor) {
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt >= 2) {
      dependencies_.reader.switch_copy();
      KBASE_TRY(dependencies_.server.pause(call_, kPause));
    }
    const auto summary = attempt == 0 ? dependencies_.reader.cached_or_read(call_) : dependencies_.reader.read(call_);
    if (!summary) return require_published(summary.error());
    auto response = search_state(**summary, visitor);
    // The index was replaced by another one.
    if (!response && response.error().code == ErrorCode::NotFound) continue;
    if (!response) return response.error();
    if (*response) return **std::move(response);
  }
  return require_published(no_state_error("the index changed during every attempt of the search"));
}

/// nullopt: another state was published in the meantime.
Result<std::optional<ports::SearchResult>> Search::search_state(const IndexSummary& summary,
                                                                Visitor<ports::SearchHit> visitor) {
  ports::SearchResult response;
  response.store_id = summary.stored.state.store_id;
  text::Query query;
  Result<std::optional<PageResponse>> found = std::optional<PageResponse>();
  if (request_.query != nullptr) {
    query = text::analyze_query(dependencies_.analyzer, *request_.query, summary.languages);
    // A query that matches nothing is sent as well, without matches: the response must name its state.
    found = query.matches_nothing() ? fetch_page(summary, match_all_items(), 0)
                                    : fetch_page_by_rule(summary, query, response.rule);
  } else {
    found = fetch_page(summary, match_all_items(), request_.limit);
  }
  if (!found) return found.error();
  if (!*found) return std::optional<ports::SearchResult>();
  const Page& page = (*found)->page;
  const auto excerpts = KBASE_TRY(make_excerpts(summary, **found, query));
  if (!excerpts) return std::optional<ports::SearchResult>();
  response.revision = page.state->state.revision;
  response.views_revision = page.state->state.views_revision;
  const bool matches_nothing = request_.query != nullptr && query.matches_nothing();
  if (!matches_nothing) {
    response.total = page.total;
    response.facets = page.facets;
    emit_hits(page, *excerpts, visitor);
  }
  return std::optional(std::move(response));
}

Result<std::optional<Search::PageResponse>> Search::fetch_page_by_rule(const IndexSummary& summary, text::Query& query,
                                                                       model::MatchRule& rule) {
  Expression expression = translate_query(query);
  rule = model::MatchRule::AllWords;
  const bool has_two_rules = expression.clauses > 1;
  const bool is_any_sure = has_two_rules && request_.fallback_below == model::kAlwaysAnyWord;
  const auto fetch_all = [&] {
    return fetch_page(summary, expression.all_words, is_any_sure ? 0 : request_.limit, query.title);
  };
  auto all = fetch_all();
  if (all && *all && (*all)->page.matches == 0) {
    const auto is_changed = KBASE_TRY(adapt_substitutes(summary, query));
    if (!is_changed) return std::optional<PageResponse>();
    if (*is_changed) {
      expression = translate_query(query);
      all = fetch_all();
    }
  }
  if (!all || !*all || !has_two_rules || (*all)->page.matches >= request_.fallback_below) return all;
  auto any = fetch_page(summary, expression.any_word, request_.limit, query.title);
  if (any && *any && (*any)->page.matches != (*all)->page.matches) rule = model::MatchRule::AnyWord;
  return any;
}

/// nullopt: the response is of another state than `summary`.
Result<std::optional<Search::PageResponse>> Search::fetch_page(const IndexSummary& summary, const Json& query,
                                                               std::uint64_t limit, std::string_view title) {
  const bool is_too_far = limit > 0 && (request_.offset >= kMaxMatches || limit > kMaxMatches - request_.offset);
  PageRequest request{request_, query, title, request_.offset, is_too_far ? 0 : limit};
  if (request.limit == 0 || request_.sort != model::Sort::Relevance) request.title = {};
  const std::uint64_t hits = std::max<std::uint64_t>(limit, 1) * (request.title.empty() ? 1 : 2);
  request.with_contents = summary.largest <= kMaxResponseBytes / hits;
  auto found = KBASE_TRY(send(summary, request));
  if (found && is_too_far && found->page.total > request_.offset)
    return invalid_argument("offset", "Matches beyond the first " + std::to_string(kMaxMatches) +
                                          " are not available; use a smaller offset or a more specific query.");
  // Items with the title precede the others, whose offset is therefore smaller.
  if (found && found->page.titles > 0 && request_.offset > 0) {
    request.offset = request_.offset - std::min(request_.offset, found->page.titles);
    auto moved = KBASE_TRY(send(summary, request));
    found = std::move(moved);
  }
  if (found && found->page.hits.size() > limit) found->page.hits.resize(limit);
  return found;
}

/// nullopt: the response is of another state than `summary`.
Result<std::optional<Search::PageResponse>> Search::send(const IndexSummary& summary, const PageRequest& request) {
  auto response = KBASE_TRY(dependencies_.server.execute(call_, {.path = dependencies_.reader.search_path(),
                                                                 .body = serialize(make_page_request(request)),
                                                                 .attempts = kReadAttempts}));
  PageResponse found{std::move(response), {}, request.with_contents};
  auto page = KBASE_TRY(parse_page(found.response));
  found.page = std::move(page);
  if (!is_same_state(summary, found.page.state)) return std::optional<PageResponse>();
  return std::optional(std::move(found));
}

/// nullopt: another state was published in the meantime.
Result<std::optional<Search::Excerpts>> Search::make_excerpts(const IndexSummary& summary, const PageResponse& found,
                                                              const text::Query& query) {
  const text::ExcerptMaker maker(query);
  Excerpts excerpts;
  const auto add = [&](const PageHit& hit, std::string_view content) {
    const text::Language language = text::find_language(hit.language).value_or(text::Language::None);
    Excerpt& excerpt = excerpts.emplace_back();
    text::Excerpt made = maker.make(dependencies_.analyzer, content, language);
    excerpt.text = std::move(made.text);
    if (made.match) excerpt.section = model::section_at(hit.sections, *made.match);
    if (request_.highlights)
      excerpt.highlights = maker.highlights(dependencies_.analyzer, hit.title, excerpt.text, language);
  };
  std::span<const PageHit> hits = found.page.hits;
  if (found.has_contents)
    for (const PageHit& hit : hits) add(hit, hit.content);
  while (excerpts.size() < hits.size()) {
    const std::span<const PageHit> part = first_response_part(hits.subspan(excerpts.size()));
    const auto response = KBASE_TRY(read_contents(summary, part));
    if (!response) return std::optional<Excerpts>();
    const auto texts = parse_contents(*response);
    for (const PageHit& hit : part) {
      const auto content = texts.find(hit.id);
      add(hit, content == texts.end() ? std::string_view() : content->second);
    }
  }
  return std::optional(std::move(excerpts));
}

/// nullopt: another state was published in the meantime.
Result<std::optional<Json>> Search::read_contents(const IndexSummary& summary, std::span<const PageHit> hits) {
  std::vector<std::string_view> ids;
  for (const PageHit& hit : hits) ids.push_back(hit.id);
  auto response = KBASE_TRY(dependencies_.server.execute(call_, {.path = dependencies_.reader.search_path(),
                                                                 .body = serialize(make_contents_request(ids)),
                                                                 .attempts = kReadAttempts}));
  if (!is_same_state(summary, parse_aggregated_state(response))) return std::optional<Json>();
  return std::optional(std::move(response));
}

void Search::emit_hits(const Page& page, const Excerpts& excerpts, Visitor<ports::SearchHit> visitor) {
  for (std::size_t i = 0; i < page.hits.size(); ++i) {
    const PageHit& each = page.hits[i];
    ports::SearchHit hit;
    hit.id = each.id;
    hit.title = each.title;
    hit.category = each.category;
    hit.excerpt = excerpts[i].text;
    hit.title_highlights = excerpts[i].highlights.title;
    hit.excerpt_highlights = excerpts[i].highlights.excerpt;
    hit.relevance = each.score / page.best_score;
    hit.has_row = true;
    hit.updated = each.updated;
    hit.url = each.url;
    hit.tags = each.tags;
    hit.views = each.views;
    if (const auto& section = excerpts[i].section) hit.section = {section->heading, section->anchor};
    hit.language = each.item_language;
    hit.version = each.version;
    if (visitor(hit) == Visit::Stop) break;
  }
}

}  // namespace kbase::opensearch
