// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/day.hpp"
#include "domain/model/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Keeps the matches that are as all of it says. What it is not told it does not look at.
struct SearchFilter {
  std::optional<std::string_view> category{};  ///< the item's own
  std::optional<std::string_view> tag{};       ///< one of its tags, byte for byte
  std::optional<model::Day> updated_from{};    ///< `updated` on this day or later
  std::optional<model::Day> updated_to{};      ///< on this day or earlier

  bool is_empty() const { return !category && needs_no_capability(); }
  /// Whether any index knows it: all of them filter by category.
  bool needs_no_capability() const { return !tag && !updated_from && !updated_to; }
  bool operator==(const SearchFilter&) const = default;
};

/// An answer names so many values of a facet at most: the most frequent first, then by their bytes.
inline constexpr std::size_t kMaxFacetValues = 100;

/// A value that matches have, never empty, and how many have it.
struct FacetValue {
  std::string value;
  std::uint64_t items = 0;

  bool operator==(const FacetValue&) const = default;
};

/// What is told of all matches beside the page of them.
struct Facets {
  std::vector<FacetValue> categories;
  std::vector<FacetValue> tags;

  bool operator==(const Facets&) const = default;
};

struct WantedFacets {
  bool categories = false;
  bool tags = false;

  bool any() const { return categories || tags; }
};

struct SearchRequest {
  /// An AllOf as parse_query makes it; null: every item matches, with relevance 1.
  const model::QueryNode* query = nullptr;
  SearchFilter filter;
  model::Sort sort = model::Sort::Relevance;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;  ///< 0: only the total
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
  WantedFacets facets;
  bool highlights = false;  ///< whether hits come with the places of what matched
};

/// All views are loans, see Visitor.
struct SearchHit {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::string_view excerpt;  ///< plain text around the best match, at most model::kExcerptCodePoints
  double relevance = 0;      ///< score divided by the best score of the whole result: above 0, at most 1
  /// Words of the query, whole characters each, in their order and apart. None unless they were asked for.
  std::span<const model::Highlight> title_highlights{};
  std::span<const model::Highlight> excerpt_highlights{};
};

/// A word of the query that the corpus lacks and the one it counted as.
struct Correction {
  std::string word;
  std::string replacement;
};

struct SearchAnswer {
  std::uint64_t total = 0;  ///< exact number of matching items, after the filter
  model::MatchRule rule = model::MatchRule::AllWords;
  model::StoreId store_id{};                ///< of the store whose content the answer was computed on
  model::Revision revision = 0;             ///< of that content
  model::ViewsRevision views_revision = 0;  ///< of the counted views it was computed on
  std::vector<Correction> corrections;
  Facets facets;  ///< of the `total` items; exact
};

/// A word that items have, as the index compares it (case and accents folded), and how many have it, about.
struct WordCompletion {
  std::string_view word;
  std::uint64_t items = 0;
};

/// What an index holds.
struct IndexState {
  model::StoreId store_id{};     ///< of the store it was built from
  model::Revision revision = 0;  ///< up to which it has applied the changes feed
  model::ViewsRevision views_revision = 0;
  std::uint64_t documents = 0;
  /// False: it has to be built anew (new, damaged, of other settings) unless begin() takes an update, as on top of a
  /// batch that was left half. Whether it answers until then, from what it has, its health says.
  bool complete = false;
};

/// A batch of changes for the index, published at commit. One thread at a time; destroying it uncommitted leaves the
/// index as it was. Items are loans for the length of the call.
class IndexWriter {
 public:
  virtual ~IndexWriter() = default;
  virtual model::Status put(Call& call, std::span<const model::ItemView* const> items) = 0;
  virtual model::Status remove(Call& call, std::string_view id) = 0;  ///< an unknown id is no error
  /// Publishes everything at once as the state at `revision`, durably.
  virtual model::Status commit(Call& call, model::Revision revision) = 0;
};

/// Ranked full-text search over a projection of the item store. It can be thrown away and rebuilt at any time. It
/// stores what a hit shows, so an answer comes from one snapshot of the index alone, and a batch shows whole or not at
/// all.
///
/// Matching (docs/guide/matching.md): an item matches when it has every Word, Prefix and AnyOf of the root (case,
/// accents and inflection aside) in its title, tags or content; where fewer than `fallback_below` items of the whole
/// knowledge base do, before the filter, any one of them is enough. Phrases and Nots always hold. A node without a word
/// after analysis is left out; where none but Nots is left, nothing matches. Orders: Relevance: score, then newest
/// `updated`, then id; Date: newest `updated`, then id; Popularity: most views (imported and counted), then id. Ids by
/// their bytes.
///
/// Thread-safety: any thread, any number at a time, one writer; searches never wait for it.
/// What a capability is missing for is not asked: a filter, facets and marks are left out, `complete` is Unsupported.
/// Errors: Unavailable (no state to answer from, with retry_after), and as ItemStore.
/// Contract suite: plugins/conformance/search_index_suite.
class SearchIndex {
 public:
  struct Capabilities {
    bool persistent = false;
    bool inline_search = false;   ///< searches never block longer than a page fault
    bool stemming = false;        ///< inflected forms match each other
    bool segmentation = false;    ///< languages without spaces are cut into words
    bool typo_tolerance = false;  ///< words the corpus lacks match their nearest ones
    bool popularity_lag = false;  ///< counted views may be up to 30 seconds late
    bool shared = false;          ///< several servers answer from one index, and take turns to write it
    bool filters = false;         ///< by all that a SearchFilter can say, not by category alone
    bool facets = false;          ///< are counted where they are wanted
    bool highlights = false;      ///< are lent where they are wanted
    bool completions = false;     ///< `complete` is offered
  };

  enum class Build {
    Update,   ///< on top of what is there
    Rebuild,  ///< from nothing, for another lineage too; the old state answers until the commit
  };

  virtual ~SearchIndex() = default;

  virtual Capabilities capabilities() const = 0;

  /// Names the implementation, its format and every setting that changes its answers; part of the validators of search
  /// answers, so that none outlives a change of either. Valid as long as the index.
  virtual std::string_view fingerprint() const = 0;

  virtual model::Result<SearchAnswer> search(Call& call, const SearchRequest& request,
                                             model::Visitor<SearchHit> visitor) = 0;

  /// Words that begin with `beginning`, a word as it is typed, and go on: those of most items first, then by their
  /// bytes; at most `limit`. None where analysis makes no word of it, or several. Unsupported: a capability.
  virtual model::Status complete(Call& call, std::string_view beginning, std::size_t limit,
                                 model::Visitor<WordCompletion> visitor);

  virtual model::Result<IndexState> state(Call& call) = 0;

  /// Starts the one batch. Conflict: another process writes this index. Unsupported: a Build::Update of another
  /// `store_id` than the index holds.
  virtual model::Result<std::unique_ptr<IndexWriter>> begin(Call& call, Build build,
                                                            const model::StoreId& store_id) = 0;

  /// Replaces the counted totals of the named items; the others keep theirs. Told is what changed since the state's
  /// `views_revision`, at once or in parts, of which the last raises it. Shows within one second.
  virtual model::Status set_views(Call& call, std::span<const ItemViews> totals, model::ViewsRevision revision) = 0;

  /// Reads everything there is and says whether it is sound. Corrupt, with what was found in `detail`.
  virtual model::Status verify(Call& call) = 0;

  virtual model::Status health(Call& call) = 0;
};

inline model::Status SearchIndex::complete(Call&, std::string_view, std::size_t, model::Visitor<WordCompletion>) {
  return model::Error{model::ErrorCode::Unsupported, "this index completes no words", {}, {}, {}};
}

}  // namespace kbase::ports
