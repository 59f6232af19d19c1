// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Conjunctive filter. Unset members do not filter.
struct SearchFilter {
  std::optional<std::string_view> category{};  ///< category of the item
  std::optional<std::string_view> tag{};       ///< one of the item's tags, compared by bytes
  std::optional<model::Day> updated_from{};    ///< `updated` on this day or later
  std::optional<model::Day> updated_to{};      ///< `updated` on this day or earlier
  model::TextList further_categories{};        ///< with `category`: or one of these
  model::TextList further_tags{};              ///< with `tag`: or one of these
  std::optional<std::string_view> language{};  ///< language of the item, see model::is_language_in()
  std::optional<std::string_view> version{};   ///< version of the item, compared by bytes

  bool is_empty() const { return *this == SearchFilter(); }
  /// Whether the filter uses what Capabilities::filters stands for; every index filters by one category.
  bool needs_filters() const { return tag || updated_from || updated_to; }
  /// Whether the filter uses what Capabilities::selections stands for.
  bool needs_selections() const { return !further_categories.empty() || !further_tags.empty() || language || version; }
  bool operator==(const SearchFilter& other) const {
    return category == other.category && tag == other.tag && updated_from == other.updated_from &&
           updated_to == other.updated_to && std::ranges::equal(further_categories, other.further_categories) &&
           std::ranges::equal(further_tags, other.further_tags) && language == other.language &&
           version == other.version;
  }
};

/// Maximum number of values returned for a facet: the most frequent first, then by their bytes.
inline constexpr std::size_t kMaxFacetValues = 100;

/// A facet value, never empty, and the number of matching items that have it.
struct FacetValue {
  std::string value;
  std::uint64_t items = 0;

  bool operator==(const FacetValue&) const = default;
};

/// Value counts over all matches, not only those of the page.
struct Facets {
  std::vector<FacetValue> categories = {};
  std::vector<FacetValue> tags = {};
  std::vector<FacetValue> languages = {};  ///< every value of model::language_ranges(): an item of "en-US" has two
  std::vector<FacetValue> versions = {};

  bool operator==(const Facets&) const = default;
};

struct FacetSelection {
  bool categories = false;
  bool tags = false;
  bool languages = false;
  bool versions = false;

  bool any() const { return categories || tags || languages || versions; }
};

/// A facet: its members, and its name in the API.
struct Facet {
  std::string_view name;
  bool FacetSelection::*is_wanted;
  std::vector<FacetValue> Facets::*values;
};

/// All facets, in the order of kb_facet.
inline constexpr std::array<Facet, 4> kFacets = {{{"category", &FacetSelection::categories, &Facets::categories},
                                                  {"tag", &FacetSelection::tags, &Facets::tags},
                                                  {"language", &FacetSelection::languages, &Facets::languages},
                                                  {"version", &FacetSelection::versions, &Facets::versions}}};

/// What a search returns of its matches, and in which order.
struct SearchOptions {
  SearchFilter filter;
  model::Sort sort = model::Sort::Relevance;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;  ///< 0: only count the total
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
  FacetSelection facets;
  bool highlights = false;  ///< return the byte ranges of the matched words in hits; ignored if the index cannot
};

struct SearchRequest : SearchOptions {
  /// An AllOf from parse_query. Null: every item matches, with relevance 1.
  const model::QueryNode* query = nullptr;

  /// Returns a request whose matches have all the words, or at least one, whatever their number.
  static SearchRequest all_words(const model::QueryNode& query) { return by_rule(query, model::kAlwaysAllWords); }
  static SearchRequest any_word(const model::QueryNode& query) { return by_rule(query, model::kAlwaysAnyWord); }

 private:
  static SearchRequest by_rule(const model::QueryNode& query, model::FallbackBelow fallback_below) {
    SearchRequest request;
    request.query = &query;
    request.fallback_below = fallback_below;
    return request;
  }
};

/// The section of an item that answers best. Empty: the match is before the first section, or in none.
struct SectionView {
  std::string_view heading, anchor;
};

/// Another item with the title of a hit.
struct NamesakeView {
  std::string_view id, language, version;
};

/// A search result row. For the lifetime of its views see Visitor.
struct SearchHit {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::string_view excerpt;  ///< plain text around the best match, at most model::kExcerptCodePoints
  double relevance = 0;      ///< score divided by the best score of the whole result: above 0, at most 1
  /// Byte ranges of query words. Whole characters, ascending and disjoint. Empty unless requested.
  std::span<const model::Highlight> title_highlights{};
  std::span<const model::Highlight> excerpt_highlights{};
  bool has_row = false;  ///< the members below are set; otherwise the store has them (Capabilities::describes)
  model::Day updated{};
  std::string_view url{};
  model::TextList tags{};
  std::uint64_t views = 0;  ///< imported and counted
  SectionView section{};
  std::string_view language{}, version{};
  std::span<const NamesakeView> namesakes{};  ///< set by the use case if it collapses titles, not by an index
};

/// A query word that the corpus does not contain, and the word it was replaced with, as items write it most often.
struct Correction {
  std::string word;
  std::string replacement;
};

struct SearchResult {
  std::uint64_t total = 0;  ///< exact number of matching items, after the filter
  model::MatchRule rule = model::MatchRule::AllWords;
  model::StoreId store_id{};                ///< store whose content the result was computed on
  model::Revision revision = 0;             ///< revision of that content
  model::ViewsRevision views_revision = 0;  ///< revision of the counted views
  std::vector<Correction> corrections;
  Facets facets;  ///< counts over the `total` items; exact
};

/// A word as items write it most often, and the approximate number of items that contain it.
struct WordCompletion {
  std::string_view word;
  std::uint64_t items = 0;
};

/// State of an index.
struct IndexState {
  model::StoreId store_id{};     ///< store it was built from
  model::Revision revision = 0;  ///< revision up to which the changes feed is applied
  model::ViewsRevision views_revision = 0;
  std::uint64_t documents = 0;
  /// False: the index must be rebuilt (new, damaged, or built with other settings), unless begin() accepts an update,
  /// as after a batch that was not completed. health() reports whether it answers from its old state until then.
  bool complete = false;
};

/// A batch of changes for the index, published at commit. One thread at a time. Destruction without commit leaves the
/// index unchanged. Items are borrowed for the length of the call.
class IndexWriter {
 public:
  virtual ~IndexWriter() = default;
  virtual Status put(Call& call, std::span<const model::ItemView* const> items) = 0;
  virtual Status remove(Call& call, std::string_view id) = 0;  ///< an unknown id is not an error
  /// Publishes the batch atomically and durably as the state at `revision`.
  virtual Status commit(Call& call, model::Revision revision) = 0;
};

/// Ranked full-text search over data derived from the item store. Can be deleted and rebuilt at any time. Stores
/// everything that a hit shows, so each result is computed from one snapshot of the index, and a batch becomes visible
/// atomically.
///
/// Matching (docs/guide/matching.md): an item matches if its title, tags or content contain every Word, Prefix and
/// AnyOf of the root, ignoring case, accents and inflection. If fewer than `fallback_below` items of the whole
/// knowledge base do, before the filter, one of them is enough. Phrase and Not nodes must always hold. A node without a
/// word after analysis is ignored. If only Not nodes remain, nothing matches. Orders: Relevance: score, then newest
/// `updated`, then id; Date: newest `updated`, then id; Popularity: most views (imported and counted), then id. Ids
/// compare by their bytes.
///
/// Thread-safety: any thread, concurrent calls allowed, one writer. Searches never wait for the writer.
/// Callers check capabilities first. Unsupported filters, facets and highlights are ignored; `complete` returns
/// Unsupported.
/// Errors: Unavailable (no state to answer from, with retry_after), and those of ItemStore.
/// Contract suite: plugins/conformance/search_index_suite.
class SearchIndex {
 public:
  struct Capabilities {
    bool persistent = false;
    bool inline_search = false;        ///< searches never block longer than a page fault
    bool inline_quick_search = false;  ///< searches of quick calls never do
    bool stemming = false;             ///< inflected forms match each other
    bool segmentation = false;         ///< languages without spaces are split into words
    bool typo_tolerance = false;       ///< words that the corpus does not contain match the most similar ones
    bool popularity_lag = false;       ///< counted views may be up to 30 seconds old
    bool shared = false;               ///< several servers read one index and write it by turns
    bool filters = false;              ///< filters by tag and by day
    bool selections = false;           ///< filters by several categories or tags, by language and by version
    bool facets = false;               ///< facets are supported; of language and version only with `selections`
    bool highlights = false;           ///< highlights are supported
    bool completions = false;          ///< `complete` is supported
    bool describes = false;            ///< hits have rows and sections
    bool options = false;              ///< a Phrase of `-xzf` matches only where a text has it as an option
    bool optional_words = false;       ///< QueryNode::is_optional is supported
    bool synonyms = false;             ///< the children of a Word are supported
  };

  enum class Build {
    Update,   ///< on top of the existing state
    Rebuild,  ///< from an empty index, also for another store id; the old state answers until the commit
  };

  virtual ~SearchIndex() = default;

  virtual Capabilities capabilities() const = 0;

  /// Identifies the implementation, its format and every setting that changes its results. Part of the validators of
  /// search responses, so that none stays valid after a change of them.
  /// Valid for the lifetime of the index.
  virtual std::string_view fingerprint() const = 0;

  virtual Result<SearchResult> search(Call& call, const SearchRequest& request, Visitor<SearchHit> visitor) = 0;

  /// Visits words that start with `beginning`, a partially typed word, and are longer: by descending number of items,
  /// then by their bytes; at most `limit`. No words if analysis turns `beginning` into no word or several. Unsupported:
  /// see Capabilities::completions.
  virtual Status complete(Call& call, std::string_view beginning, std::size_t limit, Visitor<WordCompletion> visitor);

  virtual Result<IndexState> state(Call& call) = 0;

  /// Starts the only batch. Conflict: another process writes this index. Unsupported: a Build::Update with another
  /// `store_id` than the index has.
  virtual Result<std::unique_ptr<IndexWriter>> begin(Call& call, Build build, const model::StoreId& store_id) = 0;

  /// Replaces the counted views of the given items; other items keep theirs. Callers pass all changes since the state's
  /// `views_revision`, in one or several calls; the last call raises `revision`. Visible within one second.
  virtual Status set_views(Call& call, std::span<const ItemViews> totals, model::ViewsRevision revision) = 0;

  /// Reads the whole index and checks its integrity. Corrupt: the index is damaged; `detail` describes the defect.
  virtual Status verify(Call& call) = 0;

  virtual Status health(Call& call) = 0;
};

inline Status SearchIndex::complete(Call&, std::string_view, std::size_t, Visitor<WordCompletion>) {
  return Error{ErrorCode::Unsupported, "this index does not support completions"};
}

}  // namespace kbase::ports
