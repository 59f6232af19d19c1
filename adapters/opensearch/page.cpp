// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/page.hpp"

#include <utility>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/failure.hpp"

namespace kbase::opensearch {
namespace {

Json of_kind(const char* kind) {
  return {{"term", {{"kind", kind}}}};
}

/// Returns a filter for items that pass `filter`.
Json kept_by(const ports::SearchFilter& filter) {
  Json all = Json::array({of_kind(kItem)});
  if (filter.category) all.push_back({{"term", {{"category", *filter.category}}}});
  if (filter.tag) all.push_back({{"term", {{"tags", *filter.tag}}}});
  Json days = Json::object();
  if (filter.updated_from) days["gte"] = filter.updated_from->time_since_epoch().count();
  if (filter.updated_to) days["lte"] = filter.updated_to->time_since_epoch().count();
  if (!days.empty()) all.push_back({{"range", {{"updated", std::move(days)}}}});
  return {{"bool", {{"filter", std::move(all)}}}};
}

/// Returns a facet aggregation. Its counts are exact because the index has one shard.
Json values_of(const char* field) {
  return {{"terms",
           {{"field", field},
            {"size", ports::kMaxFacetValues},
            {"exclude", Json::array({""})},  // an empty tag is no value
            {"order", Json::array({{{"_count", "desc"}}, {{"_key", "asc"}}})}}}};
}

Json aggregations(const ports::SearchRequest& search) {
  Json all = {{"matches", {{"filter", of_kind(kItem)}}}, {"state", state_aggregation()}};
  Json facets = Json::object();
  if (search.facets.categories) facets["category"] = values_of("category");
  if (search.facets.tags) facets["tags"] = values_of("tags");
  if (!facets.empty()) all["facets"] = {{"filter", kept_by(search.filter)}, {"aggs", std::move(facets)}};
  return all;
}

std::vector<ports::FacetValue> facet_in(const Json& facets, const char* field) {
  std::vector<ports::FacetValue> values;
  const Json& buckets = member(member(facets, field), "buckets");
  if (!buckets.is_array()) return values;
  for (const Json& each : buckets)
    values.push_back({std::string(text(each, "key")), number(each, "doc_count").value_or(0)});
  return values;
}

Json order_of(model::Sort sort) {
  const Json by_id = {{"id", "asc"}};
  const Json newest = {{"updated", "desc"}};
  switch (sort) {
    case model::Sort::Date:
      return Json::array({newest, by_id});
    case model::Sort::Popularity:
      return Json::array({{{"views", "desc"}}, by_id});
    case model::Sort::Relevance:
      break;
  }
  return Json::array({{{"_score", "desc"}}, newest, by_id});
}

std::optional<PageHit> hit_in(const Json& value) {
  const Json& stored = member(value, "_source");
  const auto score = real(value, "_score");
  PageHit hit{text(stored, "id"),      text(stored, "title"),    text(stored, "category"),
              text(stored, "content"), text(stored, "language"), number(stored, "bytes").value_or(0),
              score.value_or(0)};
  if (!score || hit.id.empty()) return std::nullopt;
  return hit;
}

}  // namespace

/// The state document matches every query, so that the response includes the state; `post_filter`, which is applied
/// after the aggregations, removes it from the matches.
Json page_request(const PageRequest& request) {
  const Json state = {{"constant_score", {{"filter", of_kind(kState)}, {"boost", 0}}}};
  Json members = {"id", "title", "category", "language", "bytes"};
  if (request.with_contents) members.push_back("content");
  return {{"from", request.limit == 0 ? 0 : request.search.offset},
          {"size", request.limit},
          {"track_total_hits", true},
          {"track_scores", request.limit > 0},
          {"_source", std::move(members)},
          {"query", {{"bool", {{"should", Json::array({request.query, state})}, {"minimum_should_match", 1}}}}},
          {"post_filter", kept_by(request.search.filter)},
          {"sort", order_of(request.search.sort)},
          {"aggs", aggregations(request.search)}};
}

Json contents_request(std::span<const std::string_view> ids) {
  Json documents = Json::array({kState});
  for (const std::string_view id : ids) documents.push_back(document_id(id));
  return {{"size", ids.size()},
          {"_source", {"id", "content"}},
          {"query", {{"ids", {{"values", std::move(documents)}}}}},
          {"post_filter", of_kind(kItem)},
          {"aggs", {{"state", state_aggregation()}}}};
}

model::Result<Page> read_page(const Json& answer) {
  const Json& found = member(answer, "hits");
  const auto total = number(member(found, "total"), "value");
  const auto matches = number(member(member(answer, "aggregations"), "matches"), "doc_count");
  if (!total || !matches) return nonsense("a search was answered without its totals");
  Page page;
  page.matches = *matches;
  page.total = *total;
  page.best_score = real(found, "max_score").value_or(0);
  const Json& facets = member(member(answer, "aggregations"), "facets");
  page.facets = {facet_in(facets, "category"), facet_in(facets, "tags")};
  page.state = aggregated_state(answer);
  const Json& hits = member(found, "hits");
  if (!hits.is_array()) return page;  // no matches: empty members are left out
  for (const Json& each : hits) {
    auto hit = hit_in(each);
    if (!hit || hit->score <= 0 || hit->score > page.best_score)
      return nonsense("a search was answered with what is no match");
    page.hits.push_back(*std::move(hit));
  }
  return page;
}

}  // namespace kbase::opensearch
