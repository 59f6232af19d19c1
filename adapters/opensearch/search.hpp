// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/opensearch/indices.hpp"
#include "adapters/opensearch/server.hpp"
#include "adapters/text/analyzer.hpp"
#include "adapters/text/excerpt.hpp"
#include "adapters/text/language.hpp"
#include "adapters/text/query.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// A query in OpenSearch's Query DSL, for both match rules. The user's text enters it only as analysed words. Matching
/// uses the field `text`; scoring uses `words` and `exact` and counts each word of the query once, like the native
/// index, however the query is nested.
struct Expression {
  Json all_words;
  Json any_word;
  std::size_t clauses = 0;  ///< with fewer than two the rules are equivalent
};

/// Translates a query that can match.
Expression translate_query(const text::Query& query);

/// Returns a query that matches the items with the first `max_words` of the words, one after the other.
Json match_phrase(const text::QueryPhrase& words, std::size_t max_words);

/// Returns a query that matches every item with the same score.
Json match_all_items();

/// Parameters of one search, with a query of an Expression.
struct PageRequest {
  const ports::SearchRequest& search;
  const Json& query;
  std::string_view title = {};  ///< the query as a title; items with it come first; empty: none do
  std::uint64_t offset = 0;     ///< of the page among the matches without the title
  std::uint64_t limit = 0;      ///< 0: no matches, only counts
  bool with_contents = true;    ///< false: too large for one response, read them in parts
};
Json make_page_request(const PageRequest& request);

/// Returns the request for the contents of some items of a page.
Json make_contents_request(std::span<const std::string_view> ids);

/// A match. The strings are views into the response.
struct PageHit {
  std::string_view id, title, category, content, language;
  std::uint64_t bytes = 0;  ///< size of title and content
  double score = 0;
  model::Day updated{};
  std::uint64_t views = 0;
  std::string_view url = {}, item_language = {}, version = {};
  std::vector<std::string_view> tags = {}, sections = {};
};

/// Parsed response to a make_page_request.
struct Page {
  std::uint64_t matches = 0;         ///< number of matches before the filter
  std::uint64_t total = 0;           ///< number of matches after the filter
  std::uint64_t titles = 0;          ///< number of them that have the query as their title; they precede all others
  double best_score = 0;             ///< of the whole result; 0 if it is empty or not requested
  std::vector<PageHit> hits;         ///< in result order; up to twice as many as requested
  ports::Facets facets;              ///< requested facets of the filtered matches
  std::optional<StoredState> state;  ///< state that the response is of
};

/// Returns views into `response`. Unavailable: the response is not valid.
Result<Page> parse_page(const Json& response);

/// Summary of one published state.
struct IndexSummary {
  StoredState stored;
  std::uint64_t documents = 0;
  std::uint64_t largest = 0;              ///< title and content of the longest item, in bytes
  std::vector<text::Language> languages;  ///< languages whose stemmers apply to queries

  /// Whether this summary is of the state `other`. Ignores counted views, which change neither items nor languages.
  bool is_of(const StoredState& other) const;
};

/// Whether a response is of the state that the search started with.
bool is_same_state(const IndexSummary& summary, const std::optional<StoredState>& published);

/// Aggregation for a search's `aggs` that returns the state of the index together with the result.
/// parse_aggregated_read_state() reads it.
Json state_aggregation();
/// Returns the state in a search response. nullopt: it contains no state, or more than one.
std::optional<StoredState> parse_aggregated_state(const Json& response);

/// Reads the published state. Thread-safe.
///
/// Copies of an index publish a few milliseconds apart. Related requests go to the same copy (parameter `preference`),
/// which never goes back in time.
class Reader {
 public:
  /// `server` must outlive the reader. `name` distinguishes this process from others, which can use other copies.
  Reader(const Server& server, std::string alias, std::string name)
      : server_(server), alias_(std::move(alias)), name_(std::move(name)) {}

  /// Returns "/ALIAS/_search" with the preferred copy and a filter that reduces the response to the members that are
  /// read.
  std::string search_path() const;

  /// Returns "preference=..." with the preferred copy, also for "/ALIAS/_count".
  std::string preference() const;

  /// Switches to another copy, if there is one.
  void switch_copy() { ++copy_number_; }

  /// Reads only the state, which can be open. NotFound: there is no state.
  Result<StoredState> read_published_state(ports::Call& call) const;

  /// Reads only the state. NotFound: there is no state, or it is open (a batch is incomplete).
  Result<StoredState> read_state(ports::Call& call) const;

  /// Reads and caches the summary of the published state. NotFound: read_state().
  Result<std::shared_ptr<const IndexSummary>> read(ports::Call& call);

  /// Returns the cached summary; reads it if none is cached. NotFound: read_state().
  Result<std::shared_ptr<const IndexSummary>> cached_or_read(ports::Call& call);

  /// Returns the summary of `found`: the cached one if it is of that state, else reads it.
  Result<std::shared_ptr<const IndexSummary>> read_summary_of(ports::Call& call, const StoredState& found);

 private:
  std::shared_ptr<const IndexSummary> cached() const;

  const Server& server_;
  const std::string alias_;
  const std::string name_;
  std::atomic<unsigned> copy_number_ = 0;
  mutable std::mutex mutex_;
  std::shared_ptr<const IndexSummary> cached_;  // cached summary; null: none yet
};

/// One search. It can need several requests: the matches of all words; if nothing matches, which parts of the words the
/// index has; if these are few, the matches of any word; the languages of the index; long contents in parts. All
/// responses must be of one state; if another state is published in between, the search starts again.
class Search {
 public:
  /// Dependencies; they must outlive the search.
  struct Dependencies {
    const Server& server;
    Reader& reader;
    const std::string& alias;
    text::Analyzer& analyzer;
  };

  Search(const Dependencies& parts, ports::Call& call, const ports::SearchRequest& request)
      : dependencies_(parts), call_(call), request_(request) {}

  /// InvalidArgument: matches beyond the limit of OpenSearch were requested. Unavailable: there is no complete state.
  Result<ports::SearchResult> run(Visitor<ports::SearchHit> visitor);

 private:
  /// A response, raw and parsed.
  struct PageResponse {
    Json response;
    Page page;
    bool has_contents = true;  // `page` includes the contents
  };

  struct Excerpt {
    std::string text;
    std::optional<model::Section> section;
    text::HitHighlights highlights;  // empty unless requested
  };
  using Excerpts = std::vector<Excerpt>;  // of a page's hits, in order

  Result<std::optional<ports::SearchResult>> search_state(const IndexSummary& summary,
                                                          Visitor<ports::SearchHit> visitor);
  Result<std::optional<PageResponse>> fetch_page_by_rule(const IndexSummary& summary, text::Query& query,
                                                         model::MatchRule& rule);
  Result<std::optional<bool>> adapt_substitutes(const IndexSummary& summary, text::Query& query);
  Result<std::optional<PageResponse>> fetch_page(const IndexSummary& summary, const Json& query, std::uint64_t limit,
                                                 std::string_view title = {});
  Result<std::optional<PageResponse>> send(const IndexSummary& summary, const PageRequest& request);
  Result<std::optional<Excerpts>> make_excerpts(const IndexSummary& summary, const PageResponse& found,
                                                const text::Query& query);
  Result<std::optional<Json>> read_contents(const IndexSummary& summary, std::span<const PageHit> hits);
  void emit_hits(const Page& page, const Excerpts& excerpts, Visitor<ports::SearchHit> visitor);

  const Dependencies dependencies_;
  ports::Call& call_;
  const ports::SearchRequest& request_;
};

}  // namespace kbase::opensearch
