// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/postings/best_of_union.hpp"
#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/postings/list_union.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/ranking.hpp"
#include "adapters/native_index/search/effort.hpp"
#include "adapters/native_index/search/facet_counts.hpp"
#include "adapters/native_index/search/query_plan.hpp"
#include "adapters/native_index/search/term_lists.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/native_index/store/text_dictionary.hpp"
#include "adapters/text/analyzer.hpp"
#include "adapters/text/query.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// Returns words of the snapshot that are longer than `prefix` and begin with it, as spelled in the items, with item
/// counts. For a word that is also a stem, the count includes items with any of its forms. Sorted by descending count,
/// then by bytes; at most `limit`.
std::vector<NamedCount> complete(const Snapshot& snapshot, std::string_view prefix, std::size_t limit);

/// Words of complete() as the items write them, with a cache for short prefixes, which are the most frequent requests
/// and match the most words. Holds results of one index content, some hundred bytes for each of at most 4096 prefixes.
/// Snapshots that differ only in view counts share the results. Thread-safe.
class CompletionCache {
 public:
  using Completions = std::shared_ptr<const std::vector<NamedCount>>;

  /// Returns the result of native_index::complete(), possibly with more than `limit` words. Never null. Errors: as
  /// find_surface_form().
  Result<Completions> complete(const Snapshot& snapshot, text::Analyzer& analyzer, std::string_view prefix,
                               std::size_t limit);

 private:
  struct CacheEntry {
    std::size_t limit = 0;
    Completions completions;
  };

  /// Parts of a segment that determine its words.
  struct Content {
    std::weak_ptr<const Segment> segment;
    std::weak_ptr<const DocumentSet> deleted;
  };

  Completions find(const Snapshot& snapshot, const std::string& prefix, std::size_t limit);
  void store(const Snapshot& snapshot, std::string prefix, CacheEntry entry);
  bool is_for(const Snapshot& snapshot) const;

  std::mutex mutex_;
  std::vector<Content> contents_;
  std::unordered_map<std::string, CacheEntry> cache_;
};

/// Boosts by positions. Adds to a document's score a share of the weights of the query words in the heaviest window of
/// kProximityWindow positions, each word counted once; and another share if the first kFieldGap words of the title have
/// all essential words. After Tao and Zhai, "An exploration of proximity measures"
/// (2007), which uses the smallest window; the share, the window and the limits were tuned on judged queries. Keeps its
/// memory from one search to the next. Not thread-safe.
class Proximity {
 public:
  /// Begins a search. The plans must live until its last use.
  void begin(std::span<const SegmentPlan> plans);

  /// False if the query has fewer than two words with a weight, so that no score changes.
  bool has_effect() const { return words_.size() > 1; }

  /// Must be called with ascending documents of a segment.
  float compute_boost(std::uint32_t segment, std::uint32_t document);

 private:
  struct Occurrence {
    std::uint32_t position = 0;
    std::uint32_t word = 0;
  };

  /// Next occurrence in one list of a word.
  struct Reader {
    Occurrence next;
    PositionReader positions;  // behind it
  };

  /// Occurrences of a word in the document.
  struct WordCount {
    bool has_readers = false;
    std::uint32_t in_window = 0;
    std::size_t read = 0;
    std::uint32_t last_position = 0;  // if any was read
  };

  /// A scored list of a word at the last document.
  struct ListCursor {
    const PostingList* list;
    std::uint32_t word;
    WindowCursor postings;
    std::uint32_t window = kMaxWindows;  // of `postings`
  };

  void open(std::uint32_t segment);
  void open_readers(std::uint32_t document);
  float compute_title_boost(const SegmentPlan& plan) const;
  std::uint64_t find_heaviest_window(const SegmentPlan& plan);
  bool read_next(Occurrence& next);

  static bool is_behind(const Reader& a, const Reader& b) { return a.next.position > b.next.position; }

  std::span<const SegmentPlan> plans_;
  std::vector<std::uint32_t> words_;  // indexes of the heaviest query words
  std::optional<std::uint32_t> segment_;
  std::vector<ListCursor> cursors_;  // of the segment, in the order of words_
  std::vector<Reader> readers_;      // of the document; a heap once the first is read
  std::vector<Occurrence> window_;   // occurrences read so far, by position
  std::vector<WordCount> counts_;    // by word
};

/// A dictionary term near a word.
struct CachedNearTerm {
  std::string term;
  TermEntry entry;
  unsigned distance = 0;
};

/// Cached near terms of one segment; the key is the distance followed by the word. Misspellings repeat, and most
/// segments survive a commit.
struct NearTermCache {
  std::weak_ptr<const Segment> segment;
  std::unordered_map<std::string, std::vector<CachedNearTerm>> words;
};

/// Reusable memory of one search at a time, kept for the next search because most of it has grown to its working size.
struct Workspace {
  text::Analyzer analyzer;
  Matcher matcher;
  Ranker ranker;
  Proximity proximity;
  PhraseFinder phrases;
  WindowSet set;
  std::vector<std::uint16_t> documents;  ///< documents of a window
  Effort effort;
  TermLists lists;
  ListUnion list_union;
  BestOfUnion best_of_union;
  PostingBuffer gathered;
  std::shared_ptr<TextDecompressor> decompressor = std::make_shared<TextDecompressor>();
  std::vector<NearTermCache> near_terms;  ///< one per segment that still exists
};

/// Returns the documents of a window. Valid until `set` or `workspace` is used again.
inline std::span<const std::uint16_t> list_documents(const WindowSet& set, Workspace& workspace) {
  workspace.documents.resize(kWindowDocuments);
  return {workspace.documents.data(), kernels().list(set.words.data(), kWindowWords, 0, workspace.documents.data())};
}

/// Returns the documents of a window. Valid until `matches` or `workspace` is used again.
inline std::span<const std::uint16_t> list_documents(const WindowMatches& matches, Workspace& workspace) {
  return matches.is_set() ? list_documents(matches.set(), workspace) : matches.documents();
}

/// Pool of workspaces; holds as many as searches ever ran concurrently. Thread-safe.
class WorkspacePool {
 public:
  /// Returns the workspace to the pool when destroyed.
  class Handle {
   public:
    Handle(WorkspacePool& owner, std::unique_ptr<Workspace> workspace)
        : owner_(owner), workspace_(std::move(workspace)) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
      const std::lock_guard lock(owner_.mutex_);
      owner_.free_.push_back(std::move(workspace_));
    }
    Workspace& operator*() const { return *workspace_; }
    Workspace* operator->() const { return workspace_.get(); }

   private:
    WorkspacePool& owner_;
    std::unique_ptr<Workspace> workspace_;
  };

  Handle acquire() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {*this, std::make_unique<Workspace>()};
    std::unique_ptr<Workspace> last = std::move(free_.back());
    free_.pop_back();
    return {*this, std::move(last)};
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};

/// An item in a search result.
struct Hit {
  std::uint32_t segment;  ///< index in the snapshot
  std::uint32_t document;
  float score;
  bool is_title = false;  ///< its title or an alias is the query: it precedes all others
};

/// One search of a snapshot: call find(), then visit_page(). Not thread-safe.
class Search {
 public:
  struct Options {
    bool counts_total = true;                        ///< false makes a ranked page of any-word matches cheaper
    bool corrects_typos = true;                      ///< costs 1-2 ms if a query word is not in the index, else nothing
    spelling::Dictionaries* dictionaries = nullptr;  ///< words in them are not corrected; null: none
  };

  /// All arguments must outlive the object.
  Search(const Snapshot& snapshot, Workspace& workspace, const ports::SearchRequest& request, const ports::Call& call,
         const ports::Clock& clock, const Options& options);

  /// Computes the reply and the hits of the page. Errors: Cancelled; Deadline, also if a quick call would take long.
  Result<ports::SearchResult> find();

  /// Hits of the page in result order. Scores are set only if the result is sorted by score.
  const std::vector<Hit>& page() const { return page_; }

  /// Visits the hits of the page with their stored texts and excerpts. Errors: as StoreReader::read().
  Status visit_page(Visitor<ports::SearchHit> visitor);

 private:
  struct TopDocs {
    std::uint64_t total = 0;
    std::vector<Hit> best;        ///< by score: contains the first heap_size() results, unsorted
    std::vector<Hit> hits;        ///< by another order: contains the first top_k() results
    std::uint64_t min_views = 0;  ///< items with fewer views are not on the page
  };

  Result<TopDocs> find_by_rule(model::MatchRule& rule);
  Result<TopDocs> find_any(std::uint64_t all, model::MatchRule& rule);
  Result<std::uint64_t> count(model::MatchRule rule, std::uint64_t enough);
  Result<TopDocs> find(model::MatchRule rule);
  Status find_in(std::uint32_t segment, model::MatchRule rule, TopDocs& top_docs);
  Status rank_planned(std::uint32_t segment, TopDocs& top_docs);
  Status take_hits(std::uint32_t segment, TopHits& top, TopDocs& top_docs) const;
  void set_min_score(const SegmentPlan& plan, TopHits& top) const;
  void collect_by_views(std::uint32_t segment, std::uint32_t window, const WindowMatches& matches, TopDocs& top_docs);
  std::span<const std::uint16_t> filter_by_views(std::uint32_t segment, std::uint32_t window,
                                                 const WindowMatches& matches, std::uint64_t& min_views);
  void keep_top_by_views(TopDocs& top_docs) const;
  void set_min_score(const TopDocs& top_docs, TopHits& top) const;

  Status promote_titles(std::vector<Hit>& best);
  void rerank_by_proximity(std::vector<Hit>& best);
  void cut_page(std::vector<Hit>& hits) const;
  bool precedes(const Hit& a, const Hit& b) const;
  bool is_better(const Hit& a, const Hit& b) const;
  bool is_newer(const Hit& a, const Hit& b) const;
  bool has_smaller_id(const Hit& a, const Hit& b) const;
  float get_score(const Hit& hit);

  const LiveSegment& live(std::uint32_t segment) const { return snapshot_.segments[segment]; }
  std::uint64_t get_views(const Hit& hit) const { return live(hit.segment).views->count(hit.document); }
  std::size_t top_k() const;
  std::size_t count_best() const;
  std::size_t heap_size() const;
  bool sorts_by_score() const { return request_.sort == model::Sort::Relevance && request_.query != nullptr; }
  void estimate_ranking();
  Status check_cancelled() const;

  const Snapshot& snapshot_;
  Workspace& workspace_;
  const ports::SearchRequest& request_;
  const ports::Call& call_;
  const ports::Clock& clock_;
  const Options options_;
  text::Query query_;
  TitleHash title_ = 0;  // of the query
  std::vector<SegmentPlan> plans_;
  FacetCounts facets_;
  std::vector<Hit> best_;  // top hits by score, sorted, and then the further titles
  std::vector<Hit> page_;
};

}  // namespace kbase::native_index
