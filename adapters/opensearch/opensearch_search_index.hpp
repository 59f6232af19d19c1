// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/opensearch/contents.hpp"
#include "adapters/opensearch/options.hpp"
#include "adapters/opensearch/writer.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::opensearch {

/// Search on an OpenSearch that several servers share: one of them feeds it, all answer from it. Texts are analysed and
/// excerpts are made here, so that it answers as the other indices do; OpenSearch matches, counts and ranks.
///
/// An index has one shard, and is published by the refreshes of whoever writes it alone; so what a search sees is one
/// published state, which the answer names, with all of its batch or nothing. Two copies of the index may show it some
/// milliseconds apart. See docs/decisions/0029.
/// Errors: as SearchIndex; InvalidArgument for a page past OpenSearch's first 100,000 matches.
class OpenSearchSearchIndex final : public ports::SearchIndex {
 public:
  /// What is lent outlives the index; `http` may be null, and then nothing answers, and `log`, which then hears
  /// nothing. Nothing is asked yet. InvalidArgument: an option that no OpenSearch could be asked with.
  static model::Result<std::unique_ptr<OpenSearchSearchIndex>> open(ports::HttpClient* http, const ports::Clock& clock,
                                                                    Options options, ports::EventLog* log = nullptr);

  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  model::Result<ports::SearchAnswer> search(ports::Call& call, const ports::SearchRequest& request,
                                            model::Visitor<ports::SearchHit> visitor) override;
  model::Result<ports::IndexState> state(ports::Call& call) override;
  model::Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                           const model::StoreId& store_id) override;
  model::Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                          model::ViewsRevision revision) override;
  model::Status verify(ports::Call& call) override;
  model::Status health(ports::Call& call) override;

 private:
  OpenSearchSearchIndex(std::unique_ptr<Server> server, const ports::Clock& clock, Options options,
                        std::optional<text::Language> language, ports::EventLog* log);

  std::unique_ptr<text::Analyzer> take_analyzer();
  void give_back(std::unique_ptr<text::Analyzer> analyzer);

  const std::unique_ptr<Server> server_;
  const Options options_;
  const std::string fingerprint_;
  Reader reader_;
  WriterContext context_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<text::Analyzer>> analyzers_;  // as many as searches ran at one time
};

}  // namespace kbase::opensearch
