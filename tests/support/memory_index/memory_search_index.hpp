// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "ports/driven/search_index.hpp"
#include "tests/support/memory_index/matching.hpp"

namespace kbase::memory_index {

/// Search index in memory that scans all items for each query. Meant for tests, and for a few thousand items without a
/// file. Thread-safe. Errors are those of SearchIndex; a writer reports only Conflict and Unsupported. Contract suite:
/// plugins/conformance/search_index_suite.
class MemorySearchIndex final : public ports::SearchIndex {
 public:
  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  Result<ports::SearchResult> search(ports::Call& call, const ports::SearchRequest& request,
                                     Visitor<ports::SearchHit> visitor) override;
  Status complete(ports::Call& call, std::string_view beginning, std::size_t limit,
                  Visitor<ports::WordCompletion> visitor) override;
  Result<ports::IndexState> state(ports::Call& call) override;
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                    const model::StoreId& store_id) override;
  Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals, model::ViewsRevision revision) override;
  Status verify(ports::Call& call) override;
  Status health(ports::Call& call) override;

 private:
  class Writer;
  using CountedViews = std::unordered_map<std::string, std::uint64_t>;

  /// Immutable state that a search runs on.
  struct Snapshot {
    ports::IndexState state;
    Documents documents;
    std::array<std::uint64_t, text::kLanguages> by_language{};
    CountedViews views;
  };

  struct Ranked;

  std::shared_ptr<const Snapshot> snapshot() const;
  std::vector<text::Language> select_languages(const Snapshot& snapshot) const;

  std::string fingerprint_ = "memory analysis " + std::to_string(text::kAnalysisVersion);
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_ = std::make_shared<Snapshot>();
  bool writing_ = false;
};

}  // namespace kbase::memory_index
