// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/batch_share.hpp"
#include "adapters/native_index/commits/batch_worker.hpp"
#include "adapters/native_index/commits/index_folder.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// What a new batch needs to know.
struct BatchSetup {
  IndexFolder& folder;
  std::string settings;
  std::optional<text::Language> language;  ///< of every item; nullopt: detected item by item
  std::size_t memory = 0;                  ///< bytes of all gathered items at which they become segments
  std::size_t threads = 1;                 ///< that build an index anew, the caller's one of them
  ports::SearchIndex::Build build = ports::SearchIndex::Build::Update;
  model::StoreId store_id{};
};

/// The one batch: gathers items in segments of its own and commits them with what they replace. Without a commit its
/// segments are removed. After an error only destruction is left.
class Batch final : public ports::IndexWriter {
 public:
  /// `lock` is the folder's. Unsupported: an update of another lineage, or of nothing.
  static model::Result<std::unique_ptr<Batch>> begin(BatchSetup setup, std::shared_ptr<FileLock> lock);

  ~Batch() override;

  model::Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  model::Status remove(ports::Call& call, std::string_view id) override;
  model::Status commit(ports::Call& call, model::Revision revision) override;

 private:
  Batch(BatchSetup setup, std::shared_ptr<FileLock> lock, std::optional<float> pivot);

  std::size_t share_of(std::string_view id) const;
  model::Status put(const model::ItemView& item);
  bool is_worth_threads() const;
  void start_workers();
  float pivot();
  model::Status write_shares();
  std::vector<LiveSegment> written_segments();
  void delete_replaced(std::vector<LiveSegment>& segments) const;

  BatchSetup setup_;
  std::shared_ptr<FileLock> lock_;
  std::optional<float> pivot_;  // none: that of the items gathered first
  std::deque<BatchShare> shares_;
  std::vector<std::unique_ptr<BatchWorker>> workers_;  // of all shares but the first; empty: the caller does them
  std::vector<std::string> removed_;                   // ids
  bool is_published_ = false;
};

}  // namespace kbase::native_index
