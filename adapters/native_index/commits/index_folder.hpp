// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/function_ref.hpp"
#include "domain/base/text.hpp"
#include "ports/driven/activity_store.hpp"

namespace kbase::native_index {

inline constexpr std::string_view kManifestName = "manifest";
inline constexpr std::string_view kSegmentPrefix = "segment-";

/// File of a new segment; see IndexFolder::create_segment.
struct NewSegment {
  std::uint64_t number = 0;
  SectionFileWriter file;
};

/// Folder of an index: provides the current snapshot and publishes the next one. Thread-safe.
///
///     manifest              content of the last commit
///     segment-NUMBER        segment of the last commit, of a future commit, or no longer needed
///     lock                  held by the process that writes
///
/// A commit becomes current with its manifest: segments are complete and on disk before a manifest names them, and are
/// removed when none names them. Several processes may read; one at a time writes.
class IndexFolder {
 public:
  /// `files` must outlive the object. Reads nothing yet.
  IndexFolder(Files& files, std::filesystem::path path);

  /// Returns the snapshot of the last commit of any process, including counted views; null if no snapshot
  /// can be searched. Without `may_read` it reads no file: null also if another process committed since the last call.
  std::shared_ptr<const Snapshot> current(bool may_read = true);

  /// Reason why current() returns null.
  Error problem();

  /// Acquires the right to write, shared by all holders in this process. Hold it from before the first segment is
  /// created until after the commit. Creates the folder. Errors: Conflict if another process holds it.
  Result<std::shared_ptr<FileLock>> lock();

  Result<NewSegment> create_segment();
  Result<std::shared_ptr<const Segment>> open_segment(std::uint64_t number);
  void remove_segment(std::uint64_t number);

  /// Applies `change` to a copy of the current snapshot (of an empty one if it is null) and makes the result the
  /// durable current snapshot. `change` sets settings, store id, revision and segments; the other members are
  /// computed. One call at a time; searches do not wait. After an error the previous commit is still current; if only
  /// the last step failed, the new commit may be current.
  using Change = FunctionRef<Status(Snapshot& next)>;
  Status publish(Change change);

  /// Publishes a snapshot with these view counts. Counts of items that are not in the index yet are kept for later
  /// commits.
  void set_views(std::span<const ports::ItemViews> totals, model::ViewsRevision revision);

  /// Stops searching this snapshot if it is still current, because its files are damaged.
  void mark_damaged(const Snapshot& snapshot, Error damage);

  /// Verifies the manifest and all segments of the last commit and calls `stop` every few MiB. Errors: Corrupt;
  /// NotFound if nothing was committed; Cancelled if `stop` returns true.
  Status verify(FunctionRef<bool()> stop);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path segment_path(std::uint64_t number) const;
  bool is_fresh(const std::optional<FileStamp>& stamp);
  void reload();
  Result<std::shared_ptr<Snapshot>> read(const std::optional<FileStamp>& stamp);
  Result<std::shared_ptr<Snapshot>> open_snapshot(const Manifest& manifest);
  Result<LiveSegment> reuse_or_open_segment(std::uint64_t number, const Snapshot* before);
  Status verify_commit(FunctionRef<bool()> stop);
  Status write(const Snapshot& snapshot);
  void set_snapshot(std::shared_ptr<const Snapshot> snapshot, const std::optional<FileStamp>& stamp, Error problem);
  void count_views(LiveSegment& segment) const;
  void remove_unused_segments();

  Files& files_;
  const std::filesystem::path path_;
  const std::filesystem::path manifest_;

  std::mutex publish_mutex_;  // held during writes; acquired before snapshot_mutex_
  TextMap<std::uint64_t> counted_views_;
  model::ViewsRevision views_revision_ = 0;
  std::weak_ptr<FileLock> lock_;

  std::mutex snapshot_mutex_;  // held briefly, never during I/O
  std::shared_ptr<const Snapshot> snapshot_;
  std::optional<FileStamp> stamp_;  // stamp of the manifest read last
  bool has_read_ = false;
  Error problem_;
  std::uint64_t next_segment_ = 1;
};

}  // namespace kbase::native_index
