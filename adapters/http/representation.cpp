// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/representation.hpp"

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

/// Writes null without an address.
void write_url(JsonWriter& json, const Fields& fields, std::string_view url) {
  if (!fields.includes("url")) return;
  json.key("url");
  url.empty() ? json.null() : json.text(url);
}

void write_section(JsonWriter& json, const ports::SectionView& section) {
  json.key("section");
  if (section.anchor.empty()) {
    json.null();
    return;
  }
  json.begin_object().key("heading").text(section.heading).key("anchor").text(section.anchor).end_object();
}

void write_sections(JsonWriter& json, model::TextList sections) {
  json.key("sections").begin_array();
  for (const std::string_view text : sections)
    if (const auto section = model::decode_section(text))
      json.begin_object()
          .key("heading")
          .text(section->heading)
          .key("anchor")
          .text(section->anchor)
          .key("level")
          .number(section->level)
          .end_object();
  json.end_array();
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

void write_namesakes(JsonWriter& json, std::span<const ports::NamesakeView> namesakes) {
  json.key("also").begin_array();
  for (const ports::NamesakeView& each : namesakes) {
    json.begin_object().key("id").text(each.id).key("language").text(each.language);
    json.key("version").text(each.version).end_object();
  }
  json.end_array();
}

}  // namespace

void write_item(JsonWriter& json, const model::ItemView& item, const Fields& fields) {
  begin_row(json, item, fields);
  write_text(json, fields, "content", item.content);
  write_tags_and_metadata(json, item, fields);
  if (fields.includes("related")) write_texts(json, "related", item.related);
  write_url(json, fields, item.url);
  write_text(json, fields, "summary", item.summary);
  if (fields.includes("aliases")) write_texts(json, "aliases", item.aliases);
  write_text(json, fields, "language", item.language);
  write_text(json, fields, "version", item.version);
  write_text(json, fields, "format",
             model::name_of(model::parse_format(item.format).value_or(model::Format::Markdown)));
  if (fields.includes("sections")) write_sections(json, item.sections);
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

void write_hit(JsonWriter& json, const ports::SearchHit& hit, const ports::SearchQuery& question,
               const Fields& fields) {
  begin_row(json, hit, fields);
  write_text(json, fields, "excerpt", hit.excerpt);
  if (fields.includes("relevance")) json.key("relevance").fraction(hit.relevance);
  write_url(json, fields, hit.url);
  if (fields.includes("section")) write_section(json, hit.section);
  if (fields.includes("updated")) json.key("updated").text(model::format_day(hit.updated));
  if (fields.includes("tags")) write_texts(json, "tags", hit.tags);
  if (fields.includes("views")) json.key("views").number(hit.views);
  if (question.collapses_titles && fields.includes("also")) write_namesakes(json, hit.namesakes);
  if (question.highlights && fields.includes("title_parts"))
    write_parts(json, "title_parts", hit.title, hit.title_highlights);
  if (question.highlights && fields.includes("excerpt_parts"))
    write_parts(json, "excerpt_parts", hit.excerpt, hit.excerpt_highlights);
  json.end_object();
}

void write_facets(JsonWriter& json, const ports::Facets& facets, ports::FacetSelection wanted) {
  json.begin_object();
  for (const ports::Facet& facet : ports::kFacets)
    if (wanted.*facet.is_wanted) write_values(json, facet.name, facets.*facet.values);
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

}  // namespace kbase::http
