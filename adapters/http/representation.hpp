// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/http/parameters.hpp"
#include "ports/driven/code_host.hpp"
#include "ports/driving/catalog.hpp"
#include "ports/driving/search.hpp"
#include "ports/driving/statistics.hpp"

/// JSON representation of the domain's values, as documented in docs/guide.
namespace kbase::http {

enum class Counts { Shown, Hidden };  ///< whether a category has its `item_count`

inline constexpr std::array<std::string_view, 7> kItemFields = {"id",   "title",    "category", "content",
                                                                "tags", "metadata", "related"};
inline constexpr std::array<std::string_view, 6> kSummaryFields = {"id",      "title", "category",
                                                                   "excerpt", "tags",  "metadata"};
inline constexpr std::array<std::string_view, 7> kPopularFields = {"id",   "title",    "category",    "excerpt",
                                                                   "tags", "metadata", "period_views"};
inline constexpr std::array<std::string_view, 7> kRelatedFields = {"id",   "title",    "category", "excerpt",
                                                                   "tags", "metadata", "stored"};
inline constexpr std::array<std::string_view, 7> kHitFields = {"id",        "title",       "category",     "excerpt",
                                                               "relevance", "title_parts", "excerpt_parts"};

/// Creates a writer of code-hosting users as the JSON object `data` of a response (docs/guide/code-host-users.md).
std::unique_ptr<ports::UserWriter> make_user_document();

/// JSON writer (RFC 8259) that appends to a text and inserts the commas. The caller must nest the calls correctly. Not
/// thread-safe.
class JsonWriter {
 public:
  /// `out` must outlive the writer.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }

  /// Writes the name of the next member. Accepts any UTF-8 and escapes it if necessary.
  JsonWriter& key(std::string_view name);

  /// Writes a string. Invalid UTF-8 becomes U+FFFD, so that the document stays valid.
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  /// Writes the shortest digits that read back to the same number, with a fraction or an exponent. A value that is not
  /// finite becomes 0.0.
  JsonWriter& fraction(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

  /// Adds members to the current object that are JSON already, without braces. Adds nothing if `json` is empty.
  JsonWriter& members(std::string_view json);

 private:
  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

void write_item(JsonWriter& json, const model::ItemView& item, const Fields& fields);
void write_summary(JsonWriter& json, const model::ItemSummaryView& item, const Fields& fields);
void write_popular(JsonWriter& json, const ports::PopularItem& item, const Fields& fields);
void write_related(JsonWriter& json, const ports::RelatedItem& item, const Fields& fields);

/// Leaves the object open for further members.
void begin_category(JsonWriter& json, const model::CategoryView& category, Counts counts);

/// `with_highlights` must match the request.
void write_hit(JsonWriter& json, const ports::SearchHit& hit, bool with_highlights, const Fields& fields);
void write_facets(JsonWriter& json, const ports::Facets& facets, ports::FacetSelection wanted);
void write_suggestion(JsonWriter& json, const ports::Suggestion& suggestion);
void write_pagination(JsonWriter& json, const ports::SearchPage& page, const ports::SearchQuery& question);
void write_statistics(JsonWriter& json, const ports::StatisticsReport& report);
void write_health(JsonWriter& json, const ports::HealthReport& report, std::string_view program_version);

}  // namespace kbase::http
