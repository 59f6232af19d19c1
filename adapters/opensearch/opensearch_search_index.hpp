// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/opensearch/search.hpp"
#include "adapters/opensearch/server.hpp"
#include "adapters/opensearch/writer.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// Search index in an OpenSearch that several servers share: one of them feeds it, all of them search it. This process
/// analyses texts and makes excerpts, so that results match those of the other search indices; OpenSearch matches,
/// counts and ranks.
///
/// An index has one shard, and only its writer refreshes it. So a search sees one published state, which the response
/// names: all of a batch or nothing of it. Two copies of the index can publish a state a few milliseconds apart. See
/// docs/decisions/0029.
/// Errors: see SearchIndex. InvalidArgument: a page beyond the first 100,000 matches.
///
/// Thread-safe.
class OpenSearchSearchIndex final : public ports::SearchIndex {
 public:
  /// `http`, `clock` and `log` must outlive the index. `http` null: every call fails. `log` null: no logging. Sends no
  /// request. InvalidArgument: an option is not valid.
  static Result<std::unique_ptr<OpenSearchSearchIndex>> open(ports::HttpClient* http, const ports::Clock& clock,
                                                             Options options, ports::EventLog* log = nullptr);

  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  Result<ports::SearchResult> search(ports::Call& call, const ports::SearchRequest& request,
                                     Visitor<ports::SearchHit> visitor) override;
  Result<ports::IndexState> state(ports::Call& call) override;
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                    const model::StoreId& store_id) override;
  Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals, model::ViewsRevision revision) override;
  Status verify(ports::Call& call) override;
  Status health(ports::Call& call) override;

 private:
  OpenSearchSearchIndex(std::unique_ptr<Server> server, const ports::Clock& clock, Options options,
                        std::optional<text::Language> language, ports::EventLog* log);

  std::unique_ptr<text::Analyzer> acquire_analyzer();
  void release_analyzer(std::unique_ptr<text::Analyzer> analyzer);

  const std::unique_ptr<Server> server_;
  const Options options_;
  const std::string fingerprint_;
  Reader reader_;
  WriterContext context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<text::Analyzer>> analyzers_;  // as many as the maximum of concurrent searches
};

}  // namespace kbase::opensearch
