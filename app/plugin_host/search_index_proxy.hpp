// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/search_index.h>

#include <memory>
#include <string>

#include "app/plugin_host/instance.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::plugin_host {

using SearchIndexInstance = Instance<kb_search_index_v1, kb_search_index>;

/// Implements ports::SearchIndex with a plugin's table. Errors: see ItemStoreProxy; also Internal if the number of hits
/// contradicts the reported total.
class SearchIndexProxy final : public ports::SearchIndex {
 public:
  /// Reads the fingerprint. Error: Internal if it is not a valid text.
  static model::Result<std::unique_ptr<SearchIndexProxy>> make(std::unique_ptr<SearchIndexInstance> instance);

  SearchIndexProxy(std::unique_ptr<SearchIndexInstance> instance, std::string fingerprint);

  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  model::Result<ports::SearchResult> search(ports::Call& call, const ports::SearchRequest& request,
                                            model::Visitor<ports::SearchHit> visitor) override;
  model::Status complete(ports::Call& call, std::string_view beginning, std::size_t limit,
                         model::Visitor<ports::WordCompletion> visitor) override;
  model::Result<ports::IndexState> state(ports::Call& call) override;
  model::Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                           const model::StoreId& store_id) override;
  model::Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                          model::ViewsRevision revision) override;
  model::Status verify(ports::Call& call) override;
  model::Status health(ports::Call& call) override { return instance_->health(call); }

 private:
  bool completes() const;

  const std::unique_ptr<SearchIndexInstance> instance_;
  const kb_search_index_v1& table_;
  kb_search_index* const index_;
  const std::string fingerprint_;
};

/// A batch of a plugin's search index; the destructor aborts it if it was not committed. The instance must outlive it.
class IndexWriterProxy final : public ports::IndexWriter {
 public:
  IndexWriterProxy(SearchIndexInstance& instance, kb_index_writer* writer);
  ~IndexWriterProxy() override;

  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status remove(ports::Call& call, std::string_view id) override;
  model::Status commit(ports::Call& call, model::Revision revision) override;

 private:
  SearchIndexInstance& instance_;
  const kb_search_index_v1& table_;
  kb_index_writer* writer_;  // null: the batch has ended
  sdk::ToC to_c_;
};

}  // namespace kbase::plugin_host
