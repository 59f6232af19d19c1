// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native_index/commits/batch_partition.hpp"
#include "adapters/native_index/commits/index_folder.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

/// Parameters of a batch.
struct BatchSetup {
  IndexFolder& folder;
  std::string settings;
  std::optional<text::Language> language;  ///< language of all items; nullopt: detected per item
  std::size_t memory = 0;                  ///< total bytes of gathered items at which they become segments
  std::size_t threads = 1;                 ///< for a rebuild, including the caller's
  ports::SearchIndex::Build build = ports::SearchIndex::Build::Update;
  model::StoreId store_id{};
};

/// Gathers items in new segments and commits them together with the deletions of the items they replace. Without a
/// commit the destructor removes the segments. After an error the object can only be destroyed.
class Batch final : public ports::IndexWriter {
 public:
  /// `lock` is the folder's lock. Errors: Unsupported for an update of an index with another store id or other
  /// settings, or of no index.
  static Result<std::unique_ptr<Batch>> begin(BatchSetup setup, std::shared_ptr<FileLock> lock);

  ~Batch() override;

  Status put(ports::Call& call, std::span<const model::ItemView* const> items) override;
  Status remove(ports::Call& call, std::string_view id) override;
  Status commit(ports::Call& call, model::Revision revision) override;

 private:
  Batch(BatchSetup setup, std::shared_ptr<FileLock> lock, std::optional<float> pivot);

  std::size_t choose_partition(std::string_view id) const;
  Status put(const model::ItemView& item);
  bool should_start_workers() const;
  void start_workers();
  float pivot();
  Status write_partitions();
  std::vector<LiveSegment> take_segments();
  void delete_replaced(std::vector<LiveSegment>& segments) const;

  BatchSetup setup_;
  std::shared_ptr<FileLock> lock_;
  std::optional<float> pivot_;  // nullopt: mean length of the items gathered first
  std::deque<BatchPartition> partitions_;
  std::vector<std::unique_ptr<BatchWorker>> workers_;  // one per partition but the first; empty: no threads
  std::vector<std::string> removed_;                   // ids of removed items
  bool is_published_ = false;
};

}  // namespace kbase::native_index
