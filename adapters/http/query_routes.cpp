// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "adapters/http/insight_routes.hpp"
#include "adapters/http/negotiation.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/syntax.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {
namespace {

// The first value is the default.
constexpr auto kFacetNames = [] {
  std::array<std::string_view, ports::kFacets.size()> names;
  std::ranges::transform(ports::kFacets, names.begin(), &ports::Facet::name);
  return names;
}();
constexpr std::array<std::string_view, 2> kPrefixes = {"none", "last"};
constexpr std::array<std::string_view, 2> kCollapses = {"none", "title"};
constexpr std::array<std::string_view, 3> kMatches = {"auto", "all", "any"};
constexpr std::array<model::FallbackBelow, 3> kMatchValues = {model::kDefaultFallbackBelow, model::kAlwaysAllWords,
                                                              model::kAlwaysAnyWord};

void append_pair(std::string& pairs, std::string_view word, std::string_view other) {
  pairs.append(pairs.empty() ? "" : ", ").append(percent_encode(word)).append("=").append(percent_encode(other));
}

void write_search_fields(std::string& fields, const ports::SearchPage& page) {
  add_field(fields, "X-Search-Match", page.rule == model::MatchRule::AllWords ? "all" : "any");
  std::string relaxed;
  for (const auto& [is_relaxed, name] :
       {std::pair(page.relaxed.length, "length"), std::pair(page.relaxed.phrase, "phrase"),
        std::pair(page.relaxed.exclusion, "exclusion")})
    if (is_relaxed) relaxed.append(relaxed.empty() ? "" : ", ").append(name);
  if (!relaxed.empty()) add_field(fields, "X-Search-Relaxed", relaxed);
  constexpr std::size_t kMostSynonyms = 4096;  // bytes; proxies bound the header
  std::string synonyms, corrected;
  for (const model::AddedSynonym& added : page.synonyms)
    if (synonyms.size() < kMostSynonyms) append_pair(synonyms, added.word, added.synonym);
  if (!synonyms.empty()) add_field(fields, "X-Search-Synonyms", synonyms);
  for (const ports::Correction& correction : page.corrections)
    append_pair(corrected, correction.word, correction.replacement);
  if (!corrected.empty()) add_field(fields, "X-Search-Corrected", corrected);
  if (!page.did_you_mean.empty()) add_field(fields, "X-Search-Did-You-Mean", percent_encode(page.did_you_mean));
}

/// A parsed search request. `question` views the texts.
struct SearchRequest {
  std::string q, language, version;
  std::vector<std::string> categories, tags;
  std::vector<std::string_view> further_categories, further_tags;
  ports::SearchQuery question;
};

/// Makes a filter of the values of a repeated parameter: the first, and the further ones.
void set_filter(const std::vector<std::string>& values, std::optional<std::string_view>& first,
                std::vector<std::string_view>& further_views, model::TextList& further) {
  if (values.empty()) return;
  first = values.front();
  further_views.assign(values.begin() + 1, values.end());
  further = further_views;
}

/// Fills `request` in place, because the views in its question must stay valid.
Status read_search(Parameters& parameters, SearchRequest& request) {
  std::optional<std::string> q = parameters.read_text("q");
  request.categories = parameters.read_texts("category");
  request.tags = parameters.read_texts("tag");
  request.language = parameters.read_text("language").value_or(std::string());
  request.version = parameters.read_text("version").value_or(std::string());
  ports::SearchQuery& question = request.question;
  if (parameters.read_choice("prefix", kPrefixes) == 1) question.last_word = model::LastWord::Beginning;
  question.includes_subcategories = parameters.read_boolean("subcategories", false);
  question.collapses_titles = parameters.read_choice("collapse", kCollapses) == 1;
  question.filter.updated_from = parameters.read_day("updated_from");
  question.filter.updated_to = parameters.read_day("updated_to");
  question.limit = parameters.read_integer("limit", ports::kDefaultSearchLimit);
  question.offset = parameters.read_integer("offset", 0);
  question.sort = parameters.read_sort();
  question.fallback_below = kMatchValues[parameters.read_choice("match", kMatches)];
  question.highlights = parameters.read_boolean("highlight", false);
  const std::uint32_t facets = parameters.read_words("facets", kFacetNames);
  for (std::size_t i = 0; i < ports::kFacets.size(); ++i)
    question.facets.*ports::kFacets[i].is_wanted = (facets >> i & 1) != 0;
  if (parameters.error()) return *parameters.error();
  if (!q) return invalid_argument("q", "q is required");
  request.q = *std::move(q);
  question.q = request.q;
  ports::SearchFilter& filter = question.filter;
  set_filter(request.categories, filter.category, request.further_categories, filter.further_categories);
  set_filter(request.tags, filter.tag, request.further_tags, filter.further_tags);
  if (!request.language.empty()) filter.language = request.language;
  if (!request.version.empty()) filter.version = request.version;
  return {};
}

}  // namespace

Result<Reply> get_search(const EndpointContext& context) {
  Parameters parameters("search", context.query);
  const Fields fields = Fields::read(parameters, kHitFields);
  SearchRequest request;
  KBASE_TRY(read_search(parameters, request));
  if (fields.is_named("title_parts") || fields.is_named("excerpt_parts")) request.question.highlights = true;
  const ports::SearchQuery& question = request.question;

  const ports::Insights* const insights = context.services.insights;
  const std::string normalized = insights != nullptr ? insights->normalize(request.q) : std::string();
  // Further pages are the same search.
  const std::string_view noted = question.offset == 0 ? std::string_view(normalized) : std::string_view();

  ports::Search& search = context.services.search;
  const auto validator = search.validator(context.call, question.sort);
  // Without a validator, search anyway: errors of the request are reported before errors of the validator.
  if (validator)
    if (auto cached = find_cached_search(context, make_entity_tag(context, *validator, parameters.canonical()), noted))
      return *std::move(cached);

  std::string body;
  JsonWriter json(body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  const auto page = search.search(context.call, question, [&](const ports::SearchHit& hit) {
    write_hit(json, hit, question, fields);
    return Visit::Continue;
  });
  if (!page) return page.error();
  json.end_array().key("pagination");
  write_pagination(json, *page, question);
  if (page->counted_facets.any()) {
    json.key("facets");
    write_facets(json, page->facets, page->counted_facets);
  }
  json.end_object();
  note_search(context, noted, page->total > 0);
  Reply reply =
      make_ok_reply(context, std::move(body),
                    search_tag(make_entity_tag(context, page->validator, parameters.canonical()), page->total > 0));
  write_search_fields(reply.fields, *page);
  if (!normalized.empty()) add_field(reply.fields, "X-Search-Id", insights->search_id(normalized));
  return reply;
}

Result<Reply> get_suggestions(const EndpointContext& context) {
  Parameters parameters("suggest", context.query);
  const std::optional<std::string> q = parameters.read_text("q");
  const std::uint64_t limit = parameters.read_integer("limit", ports::kDefaultSuggestions);
  if (parameters.error()) return *parameters.error();
  if (!q) return invalid_argument("q", "q is required");
  ports::Search& search = context.services.search;
  const auto write_suggestions = [&](JsonWriter& json) {
    json.begin_array();
    Status suggested = search.suggest(context.call, *q, limit, [&](const ports::Suggestion& suggestion) {
      write_suggestion(json, suggestion);
      return Visit::Continue;
    });
    json.end_array();
    return suggested;
  };
  return make_data_reply(context, search.validator(context.call, model::Sort::Relevance), parameters.canonical(),
                         write_suggestions);
}

Result<Reply> get_statistics(const EndpointContext& context) {
  ports::Statistics& statistics = context.services.statistics;
  const auto write_report = [&](JsonWriter& json) -> Status {
    const auto report = KBASE_TRY(statistics.report(context.call));
    write_statistics(json, report);
    return {};
  };
  // The last 30 days depend on the current day, so the day is part of the ETag.
  const std::string canonical = "stats" + model::format_day(model::day_of(context.now));
  return make_data_reply(context, statistics.validator(context.call), canonical, write_report);
}

Result<Reply> get_health(const EndpointContext& context) {
  const ports::HealthReport report = context.services.health.report();
  Reply reply;
  const bool is_unhealthy = report.condition == ports::HealthReport::Condition::Unhealthy;
  reply.status = is_unhealthy ? HttpStatus::Service_Unavailable : HttpStatus::Ok;
  JsonWriter json(reply.body);
  write_health(json, report, context.options.program_version);
  return reply;
}

Result<Reply> get_description(const EndpointContext& context) {
  return make_prepared_reply(context.request, context.description);
}

}  // namespace kbase::http
