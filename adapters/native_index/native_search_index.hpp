// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "adapters/native_index/commits/background_merger.hpp"
#include "adapters/native_index/commits/index_folder.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/search/completion_memory.hpp"
#include "adapters/native_index/search/workspace.hpp"
#include "adapters/text/language.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

class Batch;

struct Options {
  /// The folder of the index, made with the first batch. On a local disk: its files are mapped and locked.
  std::filesystem::path path;

  /// The language whose stemmer the items' words go through: `auto` (detected item by item), `none` (words match as
  /// they are written) or an ISO 639-1 code. Another one makes the index rebuild.
  std::string language = "auto";

  /// Takes the nearest words for those that the corpus lacks.
  bool corrects_typos = true;

  /// Bytes of gathered items, of all threads together, at which a batch writes segments. Indexing takes about twice as
  /// much at its peak.
  std::size_t batch_bytes = std::size_t{96} << 20;

  /// Threads that build an index anew, the caller's one of them. Updates take the caller's alone.
  std::size_t threads = 1;

  /// Merges segments in the background. Without it they pile up until merge_now().
  bool merges = true;
};

/// The search engine of its own. Persistent; several processes may read one folder, and what one of them commits the
/// others answer from at their next search. Errors: as SearchIndex; an index that is damaged, or was made by another
/// version or with other settings, counts as no complete state.
class NativeSearchIndex final : public ports::SearchIndex {
 public:
  /// `files`, `clock` (for deadlines) and `log` (may be null) outlive the index. InvalidArgument: no such language.
  static model::Result<std::unique_ptr<NativeSearchIndex>> open(const Options& options, Files& files,
                                                                const ports::Clock& clock, ports::EventLog* log);

  ~NativeSearchIndex() override;

  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  model::Result<ports::SearchAnswer> search(ports::Call& call, const ports::SearchRequest& request,
                                            model::Visitor<ports::SearchHit> visitor) override;
  model::Status complete(ports::Call& call, std::string_view beginning, std::size_t limit,
                         model::Visitor<ports::WordCompletion> visitor) override;
  model::Result<ports::IndexState> state(ports::Call& call) override;
  model::Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                           const model::StoreId& store_id) override;
  model::Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals,
                          model::ViewsRevision revision) override;
  model::Status verify(ports::Call& call) override;
  model::Status health(ports::Call& call) override;

  /// Does the merge that is needed most; false: there is none.
  model::Result<bool> merge_now();

  /// What the answers are computed with now; null: nothing.
  std::shared_ptr<const Snapshot> snapshot() { return folder_.current(); }

 private:
  class OneBatch;

  NativeSearchIndex(const Options& options, Files& files, std::optional<text::Language> language,
                    const ports::Clock& clock, ports::EventLog* log);

  model::Result<std::unique_ptr<Batch>> begin_batch(Build build, const model::StoreId& store_id);
  model::StoreId store_id_of(const Snapshot& snapshot) const;
  model::Error unavailable();
  void look_after(const Snapshot& snapshot);

  const Options options_;
  const std::optional<text::Language> language_;
  const std::string settings_;  // that decide what the index holds
  const std::string fingerprint_;
  const ports::Clock& clock_;
  IndexFolder folder_;
  Workspaces workspaces_;
  CompletionMemory completions_;
  std::atomic<bool> has_batch_ = false;
  std::atomic<std::uint64_t> looked_after_ = 0;
  std::optional<BackgroundMerger> merger_;
};

}  // namespace kbase::native_index
