// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/http/json_writer.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/health.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"

/// How the domain's values look as JSON (specification section 2, contract section 4).
namespace kbase::http {

enum class Counts { Shown, Hidden };  ///< whether a category has its `item_count`

void write_item(JsonWriter& json, const model::ItemView& item);
void write_summary(JsonWriter& json, const model::ItemSummaryView& item);
void write_popular(JsonWriter& json, const ports::PopularItem& item);

/// Leaves the object open for members of the caller's.
void begin_category(JsonWriter& json, const model::CategoryView& category, Counts counts);

void write_hit(JsonWriter& json, const ports::SearchHit& hit);
void write_pagination(JsonWriter& json, const ports::SearchPage& page, const ports::SearchQuestion& question);
void write_statistics(JsonWriter& json, const ports::StatisticsReport& report);
void write_health(JsonWriter& json, const ports::HealthReport& report, std::string_view program_version);

}  // namespace kbase::http
