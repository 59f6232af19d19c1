// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/function_ref.hpp"
#include "domain/model/ids.hpp"
#include "domain/model/item.hpp"
#include "domain/model/query.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/activity_store.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

struct SearchRequest {
  /// An AllOf as parse_query makes it; null: every item matches, with relevance 1.
  const model::QueryNode* query = nullptr;
  std::optional<std::string_view> category;  ///< keeps the items whose own category this is, after matching
  model::Sort sort = model::Sort::Relevance;
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;  ///< 0: only the total
  model::FallbackBelow fallback_below = model::kDefaultFallbackBelow;
};

/// All views are loans, see Visitor.
struct SearchHit {
  std::string_view id;
  std::string_view title;
  std::string_view category;
  std::string_view excerpt;  ///< plain text around the best match, at most model::kExcerptCodePoints
  double relevance = 0;      ///< score divided by the best score of the whole result: above 0, at most 1
};

/// A word of the query that the corpus lacks and the one it counted as.
struct Correction {
  std::string word;
  std::string replacement;
};

struct SearchAnswer {
  std::uint64_t total = 0;  ///< exact number of matching items, after the category filter
  model::MatchRule rule = model::MatchRule::AllWords;
  model::Lineage lineage{};                 ///< of the store whose content the answer was computed on
  model::Revision revision = 0;             ///< of that content
  model::ViewsRevision views_revision = 0;  ///< of the counted views it was computed on
  std::vector<Correction> corrections;
};

/// What an index holds.
struct IndexState {
  model::Lineage lineage{};      ///< of the store it was built from
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
/// Matching (contract section 3): an item matches when it has every Word, Prefix and AnyOf of the root (case, accents
/// and inflection aside) in its title, tags or content; where fewer than `fallback_below` items of the whole knowledge
/// base do, before the category filter, any one of them is enough. Phrases and Nots always hold. A node without a word
/// after analysis is left out; where none but Nots is left, nothing matches. Orders: Relevance: score, then newest
/// `updated`, then id; Date: newest `updated`, then id; Popularity: most views (imported and counted), then id. Ids by
/// their bytes.
///
/// Thread-safety: any thread, any number at a time, one writer; searches never wait for it.
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

  virtual model::Result<IndexState> state(Call& call) = 0;

  /// Starts the one batch. Conflict: another process writes this index. Unsupported: a Build::Update of another
  /// `lineage` than the index holds.
  virtual model::Result<std::unique_ptr<IndexWriter>> begin(Call& call, Build build, const model::Lineage& lineage) = 0;

  /// Replaces the counted totals of the named items; the others keep theirs. Shows within one second.
  virtual model::Status set_views(Call& call, std::span<const ItemViews> totals, model::ViewsRevision revision) = 0;

  /// Reads everything there is and says whether it is sound. Corrupt, with what was found in `detail`.
  virtual model::Status verify(Call& call) = 0;

  virtual model::Status health(Call& call) = 0;
};

}  // namespace kbase::ports
