// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/json_writer.hpp"
#include "adapters/http/parameters.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"

/// JSON representation of the domain's values, as documented in docs/guide.
namespace kbase::http {

enum class Counts { Shown, Hidden };  ///< whether a category has its `item_count`

inline constexpr std::array<std::string_view, 14> kItemFields = {
    "id",  "title",   "category", "content",  "tags",    "metadata", "related",
    "url", "summary", "aliases",  "language", "version", "format",   "sections"};
inline constexpr std::array<std::string_view, 6> kSummaryFields = {"id",      "title", "category",
                                                                   "excerpt", "tags",  "metadata"};
inline constexpr std::array<std::string_view, 7> kPopularFields = {"id",   "title",    "category",    "excerpt",
                                                                   "tags", "metadata", "period_views"};
inline constexpr std::array<std::string_view, 7> kRelatedFields = {"id",   "title",    "category", "excerpt",
                                                                   "tags", "metadata", "stored"};
inline constexpr std::array<std::string_view, 13> kHitFields = {
    "id",      "title", "category", "excerpt", "relevance",   "url",          "section",
    "updated", "tags",  "views",    "also",    "title_parts", "excerpt_parts"};

/// Creates a writer of code-hosting users as the JSON object `data` of a response (docs/guide/code-host-users.md).
std::unique_ptr<ports::UserWriter> make_user_document();

void write_item(JsonWriter& json, const model::ItemView& item, const Fields& fields);
void write_summary(JsonWriter& json, const model::ItemSummaryView& item, const Fields& fields);
void write_popular(JsonWriter& json, const ports::PopularItem& item, const Fields& fields);
void write_related(JsonWriter& json, const ports::RelatedItem& item, const Fields& fields);

/// Leaves the object open for further members.
void begin_category(JsonWriter& json, const model::CategoryView& category, Counts counts);

/// `question` is that of the hit.
void write_hit(JsonWriter& json, const ports::SearchHit& hit, const ports::SearchQuery& question, const Fields& fields);
void write_facets(JsonWriter& json, const ports::Facets& facets, ports::FacetSelection wanted);
void write_suggestion(JsonWriter& json, const ports::Suggestion& suggestion);
void write_pagination(JsonWriter& json, const ports::SearchPage& page, const ports::SearchQuery& question);
void write_statistics(JsonWriter& json, const ports::StatisticsReport& report);
void write_health(JsonWriter& json, const ports::HealthReport& report, std::string_view program_version);

}  // namespace kbase::http
