// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/phrase.hpp"
#include "adapters/native_index/query/ranking.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/analyzer.hpp"

namespace kbase::native_index {

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
  PhraseFinder phrases;
  WindowSet set;
  std::vector<std::uint16_t> documents;  ///< documents of a window
  std::vector<std::uint8_t> impacts;     ///< by document of a segment; all zero between uses
  PostingBuffer gathered;
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

}  // namespace kbase::native_index
