// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "adapters/http/conditional.hpp"
#include "adapters/http/parameters.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/uri.hpp"
#include "adapters/http/views.hpp"

namespace kbase::http {
namespace {

// The first value is the default.
constexpr std::array<std::string_view, 3> kSorts = {"relevance", "date", "popularity"};
constexpr std::array<model::Sort, 3> kSortValues = {model::Sort::Relevance, model::Sort::Date, model::Sort::Popularity};
constexpr std::array<std::string_view, 2> kFacets = {"category", "tag"};
constexpr std::array<std::string_view, 3> kMatches = {"auto", "all", "any"};
constexpr std::array<model::FallbackBelow, 3> kMatchValues = {model::kDefaultFallbackBelow, model::kAlwaysAllWords,
                                                              model::kAlwaysAnyWord};

void write_search_fields(std::string& fields, const ports::SearchPage& page) {
  add_field(fields, "X-Search-Match", page.rule == model::MatchRule::AllWords ? "all" : "any");
  std::string corrected;
  for (const ports::Correction& correction : page.corrections) {
    if (!corrected.empty()) corrected += ", ";
    corrected.append(percent_encoded(correction.word)).append("=").append(percent_encoded(correction.replacement));
  }
  if (!corrected.empty()) add_field(fields, "X-Search-Corrected", corrected);
  if (!page.did_you_mean.empty()) add_field(fields, "X-Search-Did-You-Mean", percent_encoded(page.did_you_mean));
}

/// A parsed search request. `question` views the texts.
struct AskedSearch {
  std::string q, category, tag;
  ports::SearchQuestion question;
};

/// Fills `asked` in place, because the views in its question must stay valid.
model::Status read_search(Parameters& parameters, AskedSearch& asked) {
  std::optional<std::string> q = parameters.text("q");
  asked.category = parameters.text("category").value_or(std::string());
  asked.tag = parameters.text("tag").value_or(std::string());
  ports::SearchQuestion& question = asked.question;
  question.filter.updated_from = parameters.day("updated_from");
  question.filter.updated_to = parameters.day("updated_to");
  question.limit = parameters.integer("limit", ports::kDefaultSearchLimit);
  question.offset = parameters.integer("offset", 0);
  question.sort = kSortValues[parameters.choice("sort", kSorts)];
  question.fallback_below = kMatchValues[parameters.choice("match", kMatches)];
  question.highlights = parameters.boolean("highlight", false);
  const std::uint32_t facets = parameters.words("facets", kFacets);
  question.facets = {(facets & 1) != 0, (facets & 2) != 0};
  if (parameters.error()) return *parameters.error();
  if (!q) return model::invalid_argument("q", "q is required");
  asked.q = *std::move(q);
  question.q = asked.q;
  if (!asked.category.empty()) question.filter.category = asked.category;
  if (!asked.tag.empty()) question.filter.tag = asked.tag;
  return {};
}

}  // namespace

model::Result<Answer> get_search(const Context& context) {
  Parameters parameters("search", context.query);
  const Fields fields = Fields::read(parameters, kHitFields);
  AskedSearch asked;
  if (const auto read = read_search(parameters, asked); !read) return read.error();
  if (fields.names("title_parts") || fields.names("excerpt_parts")) asked.question.highlights = true;
  const ports::SearchQuestion& question = asked.question;

  ports::Search& search = context.services.search;
  const auto validator = search.validator(context.call, question.sort);
  // Without a validator, search anyway: errors of the request are reported before errors of the validator.
  if (validator)
    if (std::string tag = tag_of(context, *validator, parameters.canonical()); is_known(context, tag))
      return not_modified(std::move(tag));

  std::string body;
  JsonWriter json(body);
  json.begin_object().key("success").boolean(true).key("data").begin_array();
  const auto page = search.search(context.call, question, [&](const ports::SearchHit& hit) {
    write_hit(json, hit, question.highlights, fields);
    return model::Visit::Continue;
  });
  if (!page) return page.error();
  json.end_array().key("pagination");
  write_pagination(json, *page, question);
  if (page->facets) {
    json.key("facets");
    write_facets(json, *page->facets, question.facets);
  }
  json.end_object();
  Answer answer = ok(context, std::move(body), tag_of(context, page->validator, parameters.canonical()));
  write_search_fields(answer.fields, *page);
  return answer;
}

model::Result<Answer> get_suggestions(const Context& context) {
  Parameters parameters("suggest", context.query);
  const std::optional<std::string> q = parameters.text("q");
  const std::uint64_t limit = parameters.integer("limit", ports::kDefaultSuggestions);
  if (parameters.error()) return *parameters.error();
  if (!q) return model::invalid_argument("q", "q is required");
  ports::Search& search = context.services.search;
  const auto write_suggestions = [&](JsonWriter& json) {
    json.begin_array();
    model::Status suggested = search.suggest(context.call, *q, limit, [&](const ports::Suggestion& suggestion) {
      write_suggestion(json, suggestion);
      return model::Visit::Continue;
    });
    json.end_array();
    return suggested;
  };
  return ok_data(context, search.validator(context.call, model::Sort::Relevance), parameters.canonical(),
                 write_suggestions);
}

model::Result<Answer> get_statistics(const Context& context) {
  ports::Statistics& statistics = context.services.statistics;
  const auto write_report = [&](JsonWriter& json) -> model::Status {
    const auto report = statistics.report(context.call);
    if (!report) return report.error();
    write_statistics(json, *report);
    return {};
  };
  // The last 30 days depend on the current day, so the day is part of the ETag.
  const std::string canonical = "stats" + model::format_day(model::day_of(context.now));
  return ok_data(context, statistics.validator(context.call), canonical, write_report);
}

model::Result<Answer> get_health(const Context& context) {
  const ports::HealthReport report = context.services.health.report();
  Answer answer;
  const bool is_unhealthy = report.condition == ports::HealthReport::Condition::Unhealthy;
  answer.status = is_unhealthy ? Status::Service_Unavailable : Status::Ok;
  JsonWriter json(answer.body);
  write_health(json, report, context.options.program_version);
  return answer;
}

model::Result<Answer> get_description(const Context& context) {
  return prepared_answer(context.request, context.description);
}

}  // namespace kbase::http
