// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/suite.hpp"

/// The parts of the contract suite of ports::SearchIndex, and the functions they share. A result is returned as one
/// string of ids, so that a failure shows both values.
namespace kbase::conformance {

Suite<SearchIndexFixture> search_index_matching();
Suite<SearchIndexFixture> search_index_rules();
Suite<SearchIndexFixture> search_index_orders();
Suite<SearchIndexFixture> search_index_batches();
Suite<SearchIndexFixture> search_index_typos();
Suite<SearchIndexFixture> search_index_filters();
Suite<SearchIndexFixture> search_index_completions();
Suite<SearchIndexFixture> search_index_descriptions();

/// An item of a check.
struct SampleItem {
  std::string id;
  std::string title = {};
  std::string content = {};
  std::vector<std::string_view> tags = {};
  std::string category = "shelf";
  int updated = 20'000;  ///< days since 1970
  std::uint64_t views = 0;
  std::string_view url = {};
  std::vector<std::string_view> aliases = {};
  std::vector<std::string_view> sections = {};
  std::string_view language = {}, version = {};
};

inline constexpr model::StoreId kStoreId = {1, 2, 3};
inline constexpr model::StoreId kOtherStoreId = {9, 8, 7};

/// Commits one batch.
Status commit(ports::SearchIndex& index, ports::SearchIndex::Build build, const std::vector<SampleItem>& samples,
              model::Revision revision = 1, const model::StoreId& store_id = kStoreId);

/// Fills the empty index of a fixture. Returns whether that succeeded.
bool fill(SearchIndexFixture& fixture, Report& report, const std::vector<SampleItem>& samples);

Status put(ports::IndexWriter& writer, const std::vector<SampleItem>& samples);

/// Returns `count` sample items with the ids `prefix` + "00", "01", ... and the content `content`.
std::vector<SampleItem> make_samples(std::string_view prefix, std::size_t count, std::string_view content);

struct Query {
  std::string_view q = {};  ///< empty: match all items
  ports::SearchFilter filter = {};
  model::Sort sort = model::Sort::Relevance;
  std::uint64_t offset = 0;
  std::uint64_t limit = 1000;
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
  ports::FacetSelection facets = {};
  bool highlights = false;
  bool skips_function_words = false;
  std::vector<std::string_view> synonyms = {};  ///< of the last word
  bool is_quick = false;                        ///< see ports::Call

  ports::SearchOptions options() const { return {filter, sort, offset, limit, fallback_below, facets, highlights}; }
};

/// Returns the query with the rule that matches must have all the words, or at least one.
inline Query all_words(Query query) {
  query.fallback_below = model::kAlwaysAllWords;
  return query;
}
inline Query any_word(Query query) {
  query.fallback_below = model::kAlwaysAnyWord;
  return query;
}

struct QueryResult {
  std::string ids;  ///< in result order, joined by '|'; "error CODE" if the call failed
  ports::SearchResult result;
  std::vector<double> relevances;
  std::vector<std::string> titles;
  std::vector<std::string> excerpts;
  std::vector<std::string> marked_titles;  ///< with each highlight in brackets
  std::vector<std::string> marked_excerpts;
  std::vector<std::string> rows;  ///< the members of a described row, joined by ' '; "none" without a row
};

QueryResult run_query(ports::SearchIndex& index, const Query& query);

/// Returns the ids of the matches in byte order, for checks that do not depend on the ranking.
std::string search_ids(ports::SearchIndex& index, std::string_view q, Query (*rule)(Query) = all_words);

}  // namespace kbase::conformance
