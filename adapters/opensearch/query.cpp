// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/search.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "adapters/text/ranking.hpp"
#include "domain/base/text.hpp"

namespace kbase::opensearch {
namespace {

/// Weight of a word's exact form, in addition to the score of any form.
constexpr double kExactWeight = 0.2;

/// Weight of a title that has all words, in addition to their scores.
constexpr double kTitleBoost = 0.2;

/// Constant score of a prefix match.
constexpr double kPrefixWeight = 1.0;

/// Keeps the score above 0 for an item that matches only a form without weight; negligible next to any other score.
constexpr double kMinScore = 1e-9;

/// Larger than the number of words with any prefix; the default of 50 would omit items.
constexpr int kMaxExpansions = 10'000'000;

/// Maximum number of scored words. OpenSearch accepts 1,024 clauses (indices.query.bool.max_clause_count): matching can
/// use one for each word of a query, and scoring uses three per word.
constexpr std::size_t kMaxRankedWords = 160;

/// Maximum number of words of all phrases that are compared: each is a clause.
constexpr std::size_t kMaxPhraseWords = 512;

Json any_of(Json queries) {
  if (queries.size() == 1) return queries[0];
  return {{"bool", {{"should", std::move(queries)}, {"minimum_should_match", 1}}}};
}

Json all_of(Json queries) {
  if (queries.size() == 1) return queries[0];
  return {{"bool", {{"filter", std::move(queries)}}}};
}

std::string escape_name(std::string_view term) {
  std::string sound;
  append_name(sound, term, false);
  return sound.substr(1);
}

/// Joins the names of one word at one position.
std::string join_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& each : names) append_name(text, each, !text.empty());
  return text.substr(1);
}

/// Returns the distinct terms of a word without the stem mark, as they occur in the field `words`.
std::vector<std::string> distinct_stems(const text::QueryWord& word) {
  std::vector<std::string> stems;
  for (std::string stem : word.terms) {
    if (stem.front() == text::kStemMark) stem.erase(0, 1);
    if (std::find(stems.begin(), stems.end(), stem) == stems.end()) stems.push_back(std::move(stem));
  }
  return stems;
}

/// Returns the terms of a word in the field `text`: the typed form and all its stems, as the native index matches it.
std::vector<std::string> match_terms(const text::QueryWord& word) {
  std::vector<std::string> names{word.terms.front()};
  if (word.prefix) return names;
  for (const std::string& stem : distinct_stems(word)) names.push_back(text::kStemMark + stem);
  return names;
}

// ----------------------------------------------------------------------------------------------- matching

Json match_word(const text::QueryWord& word) {
  if (word.prefix) return {{"prefix", {{"text", {{"value", escape_name(word.terms.front())}}}}}};
  Json terms = Json::array();
  for (const std::string& each : match_terms(word)) terms.push_back(escape_name(each));
  return {{"terms", {{"text", std::move(terms)}}}};
}

Json match_clause(const text::Clause& clause) {
  Json alternatives = Json::array();
  for (const auto& alternative : clause.alternatives) {
    Json parts = Json::array();
    for (const text::QueryPhrase& part : alternative) parts.push_back(match_phrase(part, part.size()));
    alternatives.push_back(all_of(std::move(parts)));
  }
  return any_of(std::move(alternatives));
}

// ----------------------------------------------------------------------------------------------- scoring

Json match_field(const char* field, const std::string& words, double weight) {
  return {{"match", {{field, {{"query", words}, {"boost", weight}}}}}};
}

Json build_scores(const text::Query& query) {
  Json scores = Json::array();
  Json titles = Json::array();
  std::vector<text::RankedWord> words = text::ranked_words(query);
  if (words.size() > kMaxRankedWords) words.resize(kMaxRankedWords);
  for (const text::RankedWord& each : words) {
    const double weight = each.share() * each.repetition();
    if (each.word->prefix) {
      scores.push_back({{"constant_score", {{"filter", match_word(*each.word)}, {"boost", kPrefixWeight * weight}}}});
      continue;
    }
    const std::string stems = join_names(distinct_stems(*each.word));
    scores.push_back(match_field("words", stems, weight));
    scores.push_back(match_field("exact", escape_name(each.word->terms.front()), kExactWeight * weight));
    if (each.is_essential()) titles.push_back(match_field("title_words", stems, kTitleBoost));
  }
  if (titles.size() > 1) scores.push_back({{"bool", {{"must", std::move(titles)}}}});
  scores.push_back({{"match_all", {{"boost", kMinScore}}}});
  return scores;
}

Json filter_by_kind(const char* kind) { return {{"term", {{"kind", kind}}}}; }

/// Returns a filter for items that pass `filter`.
Json build_filter(const ports::SearchFilter& filter) {
  Json all = Json::array({filter_by_kind(kItem)});
  const auto require = [&all](const char* field, std::string_view name, model::TextList further = {}) {
    Json names = Json::array({name});
    for (const std::string_view each : further) names.push_back(each);
    all.push_back({{"terms", {{field, std::move(names)}}}});
  };
  if (filter.category) require("category", *filter.category, filter.further_categories);
  if (filter.tag) require("tags", *filter.tag, filter.further_tags);
  if (filter.language) require("languages", ascii::to_lower(*filter.language));
  if (filter.version) require("version", *filter.version);
  Json days = Json::object();
  if (filter.updated_from) days["gte"] = filter.updated_from->time_since_epoch().count();
  if (filter.updated_to) days["lte"] = filter.updated_to->time_since_epoch().count();
  if (!days.empty()) all.push_back({{"range", {{"updated", std::move(days)}}}});
  return {{"bool", {{"filter", std::move(all)}}}};
}

/// The fields that hold the values of ports::kFacets.
constexpr std::array<const char*, ports::kFacets.size()> kFacetFields = {"category", "tags", "languages", "version"};

/// Returns a facet aggregation. Its counts are exact because the index has one shard.
Json facet_aggregation(const char* field) {
  return {{"terms",
           {{"field", field},
            {"size", ports::kMaxFacetValues},
            {"exclude", Json::array({""})},  // an empty tag or version is not a value
            {"order", Json::array({{{"_count", "desc"}}, {{"_key", "asc"}}})}}}};
}

Json match_title(std::string_view title) { return {{"term", {{"titles", title}}}}; }

/// Returns the members of a document that a page needs.
Json page_members(bool with_contents) {
  Json members = {"id", "title", "category", "language", "bytes", "tags", "updated", "views", "details"};
  if (with_contents) members.push_back("content");
  return members;
}

/// Returns an aggregation of the matches with a title: their number, those of the page, and the best score.
Json aggregate_titles(const PageRequest& request) {
  const Json page = {{"from", request.search.offset},
                     {"size", request.limit},
                     {"_source", page_members(request.with_contents)},
                     {"track_scores", true},
                     {"sort", Json::array({{{"views", "desc"}}, {{"updated", "desc"}}, {{"id", "asc"}}})}};
  const Json best = {{"size", 1}, {"_source", false}};
  return {{"filter", {{"bool", {{"filter", {build_filter(request.search.filter), match_title(request.title)}}}}}},
          {"aggs", {{"page", {{"top_hits", page}}}, {"best", {{"top_hits", best}}}}}};
}

Json build_aggregations(const PageRequest& request) {
  const ports::SearchRequest& search = request.search;
  Json all = {{"matches", {{"filter", filter_by_kind(kItem)}}}, {"state", state_aggregation()}};
  Json facets = Json::object();
  for (std::size_t i = 0; i < ports::kFacets.size(); ++i)
    if (search.facets.*ports::kFacets[i].is_wanted) facets[kFacetFields[i]] = facet_aggregation(kFacetFields[i]);
  if (!facets.empty()) all["facets"] = {{"filter", build_filter(search.filter)}, {"aggs", std::move(facets)}};
  if (!request.title.empty()) all["titles"] = aggregate_titles(request);
  return all;
}

std::vector<ports::FacetValue> parse_facet(const Json& facets, const char* field) {
  std::vector<ports::FacetValue> values;
  const Json& buckets = member(member(facets, field), "buckets");
  if (!buckets.is_array()) return values;
  for (const Json& each : buckets)
    values.push_back({std::string(text(each, "key")), number(each, "doc_count").value_or(0)});
  return values;
}

Json build_sort(model::Sort sort) {
  const Json by_id = {{"id", "asc"}};
  const Json newest = {{"updated", "desc"}};
  switch (sort) {
    case model::Sort::Date: return Json::array({newest, by_id});
    case model::Sort::Popularity: return Json::array({{{"views", "desc"}}, by_id});
    case model::Sort::Relevance: break;
  }
  return Json::array({{{"_score", "desc"}}, newest, by_id});
}

std::optional<PageHit> parse_hit(const Json& value) {
  const Json& stored = member(value, "_source");
  const auto score = real(value, "_score");
  PageHit hit{text(stored, "id"),      text(stored, "title"),    text(stored, "category"),
              text(stored, "content"), text(stored, "language"), number(stored, "bytes").value_or(0),
              score.value_or(0)};
  if (!score || hit.id.empty()) return std::nullopt;
  const Json& details = member(stored, "details");
  const Json& updated = member(stored, "updated");
  if (updated.is_number_integer()) hit.updated = model::Day(std::chrono::days(updated.get<std::int32_t>()));
  hit.views = number(stored, "views").value_or(0);
  hit.tags = texts(stored, "tags");
  hit.url = text(details, "url");
  hit.item_language = text(details, "language");
  hit.version = text(details, "version");
  hit.sections = texts(details, "sections");
  return hit;
}

/// Unavailable: a hit is not valid.
Status append_hits(const Json& found, Page& page) {
  const Json& hits = member(found, "hits");
  if (!hits.is_array()) return {};  // no matches: empty members are left out
  for (const Json& each : hits) {
    auto hit = parse_hit(each);
    if (!hit || hit->score <= 0 || hit->score > page.best_score)
      return invalid_response("the response to a search has an invalid match");
    page.hits.push_back(*std::move(hit));
  }
  return {};
}

}  // namespace

Json match_phrase(const text::QueryPhrase& words, std::size_t max_words) {
  if (words.size() == 1) return match_word(words.front());
  std::string text;
  for (const text::QueryWord& each : std::span(words).first(std::min(words.size(), max_words))) {
    text += text.empty() ? "" : " ";
    text += join_names(match_terms(each));
  }
  if (!words.back().prefix) return {{"match_phrase", {{"text", std::move(text)}}}};
  return {{"match_phrase_prefix", {{"text", {{"query", std::move(text)}, {"max_expansions", kMaxExpansions}}}}}};
}

Expression translate_query(const text::Query& query) {
  Json clauses = Json::array();
  Json phrases = Json::array();
  Json exclusions = Json::array();
  Json required = Json::array();
  for (const text::Clause& each : query.clauses) {
    clauses.push_back(match_clause(each));
    if (!each.is_optional) required.push_back(clauses.back());
  }
  const std::size_t max_words =
      kMaxPhraseWords / std::max<std::size_t>(query.phrases.size() + query.exclusions.size(), 1);
  for (const text::QueryPhrase& each : query.phrases) phrases.push_back(match_phrase(each, max_words));
  for (const text::QueryPhrase& each : query.exclusions) exclusions.push_back(match_phrase(each, max_words));
  const Json scores = build_scores(query);
  const auto with = [&](Json wanted) -> Json {
    for (const Json& each : phrases) wanted.push_back(each);
    return {{"bool", {{"filter", std::move(wanted)}, {"must_not", exclusions}, {"should", scores}}}};
  };

  Expression expression;
  expression.clauses = clauses.size();
  expression.all_words = with(required);
  expression.any_word = with(clauses.empty() ? Json::array() : Json::array({any_of(clauses)}));
  return expression;
}

Json match_all_items() { return {{"constant_score", {{"filter", {{"term", {{"kind", kItem}}}}}}}}; }

/// The state document matches every query, so that the response includes the state; `post_filter`, which is applied
/// after the aggregations, removes it from the matches, and the items with the title, which an aggregation returns.
Json make_page_request(const PageRequest& request) {
  const Json state = {{"constant_score", {{"filter", filter_by_kind(kState)}, {"boost", 0}}}};
  Json filter = build_filter(request.search.filter);
  if (!request.title.empty()) filter["bool"]["must_not"] = match_title(request.title);
  return {{"from", request.limit == 0 ? 0 : request.offset},
          {"size", request.limit},
          {"track_total_hits", true},
          {"track_scores", request.limit > 0},
          {"_source", page_members(request.with_contents)},
          {"query", {{"bool", {{"should", Json::array({request.query, state})}, {"minimum_should_match", 1}}}}},
          {"post_filter", std::move(filter)},
          {"sort", build_sort(request.search.sort)},
          {"aggs", build_aggregations(request)}};
}

Json make_contents_request(std::span<const std::string_view> ids) {
  Json documents = Json::array({kState});
  for (const std::string_view id : ids) documents.push_back(document_id(id));
  return {{"size", ids.size()},
          {"_source", {"id", "content"}},
          {"query", {{"ids", {{"values", std::move(documents)}}}}},
          {"post_filter", filter_by_kind(kItem)},
          {"aggs", {{"state", state_aggregation()}}}};
}

Result<Page> parse_page(const Json& response) {
  const Json& found = member(response, "hits");
  const auto total = number(member(found, "total"), "value");
  const auto matches = number(member(member(response, "aggregations"), "matches"), "doc_count");
  if (!total || !matches) return invalid_response("the response to a search has no totals");
  Page page;
  page.matches = *matches;
  page.total = *total;
  page.best_score = real(found, "max_score").value_or(0);
  const Json& facets = member(member(response, "aggregations"), "facets");
  for (std::size_t i = 0; i < ports::kFacets.size(); ++i)
    page.facets.*ports::kFacets[i].values = parse_facet(facets, kFacetFields[i]);
  page.state = parse_aggregated_state(response);
  if (const Json& titles = member(member(response, "aggregations"), "titles"); titles.is_object()) {
    page.titles = number(titles, "doc_count").value_or(0);
    page.total += page.titles;
    const Json& best = member(member(member(titles, "best"), "hits"), "max_score");
    if (best.is_number()) page.best_score = std::max(page.best_score, best.get<double>());
    KBASE_TRY(append_hits(member(member(titles, "page"), "hits"), page));
    for (PageHit& hit : page.hits) hit.score = page.best_score;
  }
  KBASE_TRY(append_hits(found, page));
  return page;
}

}  // namespace kbase::opensearch
