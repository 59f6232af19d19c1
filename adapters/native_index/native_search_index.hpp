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
#include "adapters/native_index/search/search.hpp"
#include "adapters/spelling/dictionaries.hpp"
#include "adapters/text/language.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/search_index.hpp"

namespace kbase::native_index {

class Batch;

struct Options {
  /// Folder of the index, created by the first batch. Must be on a local disk, because its files are mapped and locked.
  std::filesystem::path path;

  /// Language for stemming: `auto` (detected per item), `none` (words match only as spelled) or an ISO 639-1 code.
  /// Another value requires a rebuild.
  std::string language = "auto";

  /// Replaces query words that the index does not contain by the nearest words.
  bool corrects_typos = true;

  /// Folder of spelling dictionaries; a word that one of them has is not corrected. Empty: none.
  std::filesystem::path dictionaries = {};

  /// Bytes of gathered items, all threads together, at which a batch writes segments. Peak memory of indexing is about
  /// twice as much.
  std::size_t batch_bytes = std::size_t{32} << 20;

  /// Threads that analyse the items of a rebuild, in addition to the caller's. Updates use only the caller's thread.
  std::size_t threads = 1;

  /// Merges segments in the background. If false, segments accumulate until merge_now().
  bool merges = true;

  /// Folder with indexes of other formats, see remove_other_formats(). They are removed in the background if the index
  /// exists when it is opened, and once it is verified: a server that uses another format may run while the first is
  /// built. Empty: none.
  std::filesystem::path other_formats = {};
};

/// kbase's own search engine. Persistent. Several processes may read one folder; a commit by one is visible to the next
/// search of the others. Errors: as SearchIndex. An index that is damaged, or was built by another version or with
/// other settings, counts as incomplete and must be rebuilt.
class NativeSearchIndex final : public ports::SearchIndex {
 public:
  /// `files`, `clock` (for deadlines) and `log` (may be null) must outlive the index. Errors: InvalidArgument if the
  /// language is unknown.
  static Result<std::unique_ptr<NativeSearchIndex>> open(const Options& options, Files& files,
                                                         const ports::Clock& clock, ports::EventLog* log);

  ~NativeSearchIndex() override;

  Capabilities capabilities() const override;
  std::string_view fingerprint() const override { return fingerprint_; }
  Result<ports::SearchResult> search(ports::Call& call, const ports::SearchRequest& request,
                                     Visitor<ports::SearchHit> visitor) override;
  Status complete(ports::Call& call, std::string_view prefix, std::size_t limit,
                  Visitor<ports::WordCompletion> visitor) override;
  Result<ports::IndexState> state(ports::Call& call) override;
  Result<std::unique_ptr<ports::IndexWriter>> begin(ports::Call& call, Build build,
                                                    const model::StoreId& store_id) override;
  Status set_views(ports::Call& call, std::span<const ports::ItemViews> totals, model::ViewsRevision revision) override;
  Status verify(ports::Call& call) override;
  Status health(ports::Call& call) override;

  /// Performs the most urgent merge. Returns false if no merge is due.
  Result<bool> merge_now();

  /// Merges all segments into one.
  Status merge_all();

  /// Returns the snapshot that searches currently use; null if no snapshot can be searched.
  std::shared_ptr<const Snapshot> snapshot() { return folder_.current(); }

 private:
  class ExclusiveBatch;

  NativeSearchIndex(const Options& options, Files& files, std::optional<text::Language> language,
                    const ports::Clock& clock, ports::EventLog* log);

  Result<std::unique_ptr<Batch>> begin_batch(Build build, const model::StoreId& store_id);
  model::StoreId effective_store_id(const Snapshot& snapshot) const;
  static Error not_ready_error();
  Error unavailable_error();
  void wake_merger(const Snapshot& snapshot);

  const Options options_;
  const std::optional<text::Language> language_;
  const std::string settings_;  // identifies everything that determines the index content
  const ports::Clock& clock_;
  IndexFolder folder_;
  spelling::Dictionaries dictionaries_;
  const std::string fingerprint_;
  WorkspacePool workspaces_;
  CompletionCache completions_;
  std::atomic<bool> has_batch_ = false;
  std::atomic<std::uint64_t> merged_revision_ = 0;
  std::optional<BackgroundMerger> merger_;
};

}  // namespace kbase::native_index
