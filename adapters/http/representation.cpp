// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/representation.hpp"

#include <charconv>
#include <cmath>

#include "adapters/base/json.hpp"

namespace kbase::http {
namespace {

void write_texts(JsonWriter& json, std::string_view name, model::TextList texts) {
  json.key(name).begin_array();
  for (const std::string_view text : texts) json.text(text);
  json.end_array();
}

void write_metadata(JsonWriter& json, const model::MetadataView& metadata) {
  json.key("metadata").begin_object();
  json.key("author").text(metadata.author);
  json.key("created").text(model::format_day(metadata.created));
  json.key("updated").text(model::format_day(metadata.updated));
  json.key("views").number(metadata.views);
  json.members(metadata.extra).end_object();
}

void write_text(JsonWriter& json, const Fields& fields, std::string_view name, std::string_view value) {
  if (fields.includes(name)) json.key(name).text(value);
}

/// Writes the first members of every row of items.
template <class Row> void begin_row(JsonWriter& json, const Row& row, const Fields& fields) {
  json.begin_object();
  write_text(json, fields, "id", row.id);
  write_text(json, fields, "title", row.title);
  write_text(json, fields, "category", row.category);
}

template <class Row> void write_tags_and_metadata(JsonWriter& json, const Row& row, const Fields& fields) {
  if (fields.includes("tags")) write_texts(json, "tags", row.tags);
  if (fields.includes("metadata")) write_metadata(json, row.metadata);
}

void begin_summary(JsonWriter& json, const model::ItemSummaryView& item, const Fields& fields) {
  begin_row(json, item, fields);
  write_text(json, fields, "excerpt", item.excerpt);
  write_tags_and_metadata(json, item, fields);
}

void write_part(JsonWriter& json, std::string_view text, bool is_match) {
  if (!text.empty()) json.begin_object().key("text").text(text).key("match").boolean(is_match).end_object();
}

/// Writes the text as non-empty parts, marked as match or not.
void write_parts(JsonWriter& json, std::string_view name, std::string_view text,
                 std::span<const model::Highlight> highlights) {
  json.key(name).begin_array();
  std::size_t position = 0;
  for (const model::Highlight& highlight : highlights) {
    write_part(json, text.substr(position, highlight.begin - position), false);
    write_part(json, text.substr(highlight.begin, highlight.end - highlight.begin), true);
    position = highlight.end;
  }
  write_part(json, text.substr(position), false);
  json.end_array();
}

void write_values(JsonWriter& json, std::string_view name, const std::vector<ports::FacetValue>& values) {
  json.key(name).begin_array();
  for (const ports::FacetValue& value : values)
    json.begin_object().key("value").text(value.value).key("count").number(value.items).end_object();
  json.end_array();
}

std::string_view connection_name(ports::ServiceState state) {
  switch (state) {
    case ports::ServiceState::Up: return "connected";
    case ports::ServiceState::Down: return "disconnected";
    case ports::ServiceState::Disabled: break;
  }
  return "disabled";
}

std::string_view availability_name(ports::ServiceState state) {
  switch (state) {
    case ports::ServiceState::Up: return "available";
    case ports::ServiceState::Down: return "unavailable";
    case ports::ServiceState::Disabled: break;
  }
  return "disabled";
}

std::string_view condition_name(ports::HealthReport::Condition condition) {
  switch (condition) {
    case ports::HealthReport::Condition::Healthy: return "healthy";
    case ports::HealthReport::Condition::Degraded: return "degraded";
    case ports::HealthReport::Condition::Unhealthy: break;
  }
  return "unhealthy";
}

// Writers for optional members; a missing value becomes null.

void write(JsonWriter& json, std::string_view name, const std::optional<std::string_view>& text) {
  json.key(name);
  text ? json.text(*text) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<std::uint64_t>& number) {
  json.key(name);
  number ? json.number(*number) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<bool>& value) {
  json.key(name);
  value ? json.boolean(*value) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<model::Instant>& instant) {
  json.key(name);
  instant ? json.text(model::format_instant(*instant)) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<model::TextList>& texts) {
  json.key(name);
  if (!texts) {
    json.null();
    return;
  }
  json.begin_array();
  for (const std::string_view text : *texts) json.text(text);
  json.end_array();
}

class UserDocument final : public ports::UserWriter {
 public:
  Visit profile(const ports::UserProfile& profile) override {
    json_.begin_object().key("profile").begin_object();
    json_.key("username").text(profile.username);
    write(json_, "name", profile.name);
    write(json_, "bio", profile.bio);
    write(json_, "company", profile.company);
    write(json_, "location", profile.location);
    write(json_, "website", profile.website);
    write(json_, "avatar_url", profile.avatar_url);
    write(json_, "profile_url", profile.profile_url);
    write(json_, "followers", profile.followers);
    write(json_, "following", profile.following);
    write(json_, "public_repositories", profile.public_repositories);
    write(json_, "created", profile.created);
    json_.end_object().key("repositories").begin_array();
    return Visit::Continue;
  }

  Visit repository(const ports::Repository& repository) override {
    json_.begin_object().key("name").text(repository.name).key("full_name").text(repository.full_name);
    write(json_, "description", repository.description);
    write(json_, "url", repository.url);
    write(json_, "language", repository.language);
    write(json_, "topics", repository.topics);
    write(json_, "stars", repository.stars);
    write(json_, "forks", repository.forks);
    write(json_, "fork", repository.is_fork);
    write(json_, "archived", repository.is_archived);
    write(json_, "created", repository.created);
    write(json_, "updated", repository.updated);
    json_.end_object();
    return Visit::Continue;
  }

  Visit contributions(const ports::Contributions& contributions) override {
    JsonWriter period(period_);
    period.begin_object().key("from").text(model::format_day(contributions.first));
    period.key("to").text(model::format_day(contributions.last)).end_object();
    source_ = contributions.source;
    return Visit::Continue;
  }

  Visit contribution_day(model::Day day, std::uint64_t count) override {
    if (count > 0) daily_json_.key(model::format_day(day)).number(count);
    total_ += count;
    return Visit::Continue;
  }

  Visit language(std::string_view name, double share) override {
    languages_json_.key(name).fraction(share);
    return Visit::Continue;
  }

  std::string finish() override {
    json_.end_array().key("contributions");
    period_.empty() ? void(json_.null()) : write_contributions();
    json_.key("languages").begin_object().members(languages_).end_object().end_object();
    return std::move(text_);
  }

 private:
  void write_contributions() {
    json_.begin_object().key("total").number(total_).members("\"period\":" + period_);
    json_.key("daily").begin_object().members(daily_).end_object();
    json_.key("source").text(source_).end_object();
  }

  std::string text_, period_, daily_, source_, languages_;
  JsonWriter json_{text_}, daily_json_{daily_}, languages_json_{languages_};
  std::uint64_t total_ = 0;
};

}  // namespace

void write_item(JsonWriter& json, const model::ItemView& item, const Fields& fields) {
  begin_row(json, item, fields);
  write_text(json, fields, "content", item.content);
  write_tags_and_metadata(json, item, fields);
  if (fields.includes("related")) write_texts(json, "related", item.related);
  json.end_object();
}

void write_summary(JsonWriter& json, const model::ItemSummaryView& item, const Fields& fields) {
  begin_summary(json, item, fields);
  json.end_object();
}

void write_popular(JsonWriter& json, const ports::PopularItem& item, const Fields& fields) {
  begin_summary(json, *item.item, fields);
  if (fields.includes("period_views")) json.key("period_views").number(item.period_views);
  json.end_object();
}

void write_related(JsonWriter& json, const ports::RelatedItem& item, const Fields& fields) {
  begin_summary(json, *item.item, fields);
  if (fields.includes("stored")) json.key("stored").boolean(item.is_stored);
  json.end_object();
}

void begin_category(JsonWriter& json, const model::CategoryView& category, Counts counts) {
  json.begin_object();
  json.key("id").text(category.id).key("name").text(category.name);
  json.key("description").text(category.description).key("icon").text(category.icon);
  if (counts == Counts::Shown) json.key("item_count").number(category.item_count);
  write_texts(json, "subcategories", category.subcategories);
}

void write_hit(JsonWriter& json, const ports::SearchHit& hit, bool with_highlights, const Fields& fields) {
  begin_row(json, hit, fields);
  write_text(json, fields, "excerpt", hit.excerpt);
  if (fields.includes("relevance")) json.key("relevance").fraction(hit.relevance);
  if (with_highlights && fields.includes("title_parts"))
    write_parts(json, "title_parts", hit.title, hit.title_highlights);
  if (with_highlights && fields.includes("excerpt_parts"))
    write_parts(json, "excerpt_parts", hit.excerpt, hit.excerpt_highlights);
  json.end_object();
}

void write_facets(JsonWriter& json, const ports::Facets& facets, ports::FacetSelection wanted) {
  json.begin_object();
  if (wanted.categories) write_values(json, "category", facets.categories);
  if (wanted.tags) write_values(json, "tag", facets.tags);
  json.end_object();
}

void write_suggestion(JsonWriter& json, const ports::Suggestion& suggestion) {
  const bool is_title = !suggestion.item.empty();
  json.begin_object().key("text").text(suggestion.text).key("kind").text(is_title ? "title" : "query");
  if (is_title) json.key("id").text(suggestion.item);
  json.end_object();
}

void write_pagination(JsonWriter& json, const ports::SearchPage& page, const ports::SearchQuery& question) {
  json.begin_object();
  json.key("total").number(page.total).key("limit").number(question.limit).key("offset").number(question.offset);
  json.key("next_offset");
  page.next_offset ? json.number(*page.next_offset) : json.null();
  json.end_object();
}

void write_statistics(JsonWriter& json, const ports::StatisticsReport& report) {
  json.begin_object();
  json.key("total_items").number(report.totals.items).key("total_categories").number(report.totals.categories);
  json.key("total_views").number(report.totals.views);
  json.key("recent_additions").number(report.totals.recent_additions);
  json.key("popular_categories").begin_array();
  for (const auto& category : report.popular_categories)
    json.begin_object().key("name").text(category.name).key("views").number(category.views).end_object();
  json.end_array().key("daily_activity").begin_object();
  for (const ports::DayViews& day : report.daily_activity) json.key(model::format_day(day.day)).number(day.views);
  json.end_object().end_object();
}

void write_health(JsonWriter& json, const ports::HealthReport& report, std::string_view program_version) {
  json.begin_object();
  json.key("status").text(condition_name(report.condition));
  json.key("timestamp").text(model::format_instant(report.now)).key("version").text(program_version);
  json.key("services").begin_object();
  json.key("database").text(connection_name(report.storage)).key("cache").text(connection_name(report.cache));
  json.key("external_apis").begin_object();
  json.key("codehost").text(availability_name(report.codehost)).key("llm").text(availability_name(report.llm));
  json.end_object().end_object().end_object();
}

std::unique_ptr<ports::UserWriter> make_user_document() { return std::make_unique<UserDocument>(); }

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  json::append_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  separate();
  char digits[20];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), value);
  out_.append(digits, end);
  (void)error;  // 20 digits are enough for any value
  return *this;
}

JsonWriter& JsonWriter::fraction(double value) {
  separate();
  char digits[32];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), std::isfinite(value) ? value : 0.0);
  (void)error;  // the shortest form of any double fits
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view json) {
  if (json.empty()) return *this;
  separate();
  out_ += json;
  return *this;
}

}  // namespace kbase::http
