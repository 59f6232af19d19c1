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

#include "adapters/native_index/query/matching.hpp"
#include "adapters/native_index/query/phrase.hpp"
#include "adapters/native_index/query/ranking.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/analyzer.hpp"

namespace kbase::native_index {

/// A term of a segment's dictionary that is near to a word.
struct NearWord {
  std::string term;
  TermEntry entry;
  unsigned distance = 0;
};

/// What in a segment is near to words, by how near and the word: people make the same mistakes, and most of an index
/// stays as it is when a commit adds something.
struct RememberedNear {
  std::weak_ptr<const Segment> segment;
  std::unordered_map<std::string, std::vector<NearWord>> words;
};

/// What one search at a time works with; kept for the next one, since most of it is memory that has grown.
struct Workspace {
  text::Analyzer analyzer;
  Matcher matcher;
  Ranker ranker;
  PhraseFinder phrases;
  WindowSet set;
  std::vector<std::uint16_t> listed;  ///< documents of a window
  std::vector<std::uint8_t> impacts;  ///< of all documents of a segment; zeros between uses
  PostingBuffer gathered;
  std::vector<RememberedNear> near;  ///< of each segment that is not gone
};

/// The documents of a window; valid until either is used again.
std::span<const std::uint16_t> listed(const WindowMatches& matches, Workspace& workspace);
std::span<const std::uint16_t> listed(const WindowSet& set, Workspace& workspace);

/// As many workspaces as searches ever ran at a time. Any thread.
class Workspaces {
 public:
  /// Goes back with its end.
  class Lease {
   public:
    Lease(Workspaces& owner, std::unique_ptr<Workspace> workspace) : owner_(owner), workspace_(std::move(workspace)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard lock(owner_.mutex_);
      owner_.free_.push_back(std::move(workspace_));
    }
    Workspace& operator*() const { return *workspace_; }
    Workspace* operator->() const { return workspace_.get(); }

   private:
    Workspaces& owner_;
    std::unique_ptr<Workspace> workspace_;
  };

  Lease acquire() {
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
