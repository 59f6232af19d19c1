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
#include <unordered_map>

#include "adapters/native_index/commits/manifest.hpp"
#include "adapters/native_index/commits/snapshot.hpp"
#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file_writer.hpp"
#include "domain/model/function_ref.hpp"
#include "ports/driven/activity_store.hpp"

namespace kbase::native_index {

/// A segment's file while it is written; see IndexFolder::create_segment.
struct NewSegment {
  std::uint64_t number = 0;
  SectionFileWriter file;
};

/// The folder of an index: its current snapshot, and the road to the next one.
///
///     manifest              what the last commit consists of
///     segment-NUMBER        a part of it, or of a commit to come, or one that nobody needs any more
///     lock                  held by the process that writes
///
/// A commit is its manifest: segments are whole and on the disk before it names them, and go when it no longer does.
/// Several processes may read; one at a time writes. Any thread.
class IndexFolder {
 public:
  /// `files` outlives it. Reads nothing yet.
  IndexFolder(Files& files, std::filesystem::path path);

  /// The state of the last commit of any process, with the counted views; null: there is none to answer from.
  std::shared_ptr<const Snapshot> current();

  /// Why there is none.
  model::Error problem();

  /// The right to write, shared by whoever holds it in this process: to be held from before the first segment is
  /// created until after the commit. Makes the folder. Conflict: another process has it.
  model::Result<std::shared_ptr<FileLock>> lock();

  model::Result<NewSegment> create_segment();
  model::Result<std::shared_ptr<const Segment>> open_segment(std::uint64_t number);
  void remove_segment(std::uint64_t number);

  /// What `change` makes of a copy of the current snapshot (an empty one, where there is none) becomes the next one,
  /// durably: settings, lineage, revision, pivot and segments count, the rest is worked out. One at a time; searches
  /// do not wait. After an error the last commit stands; or else, where only its last step failed, the new one does.
  using Change = model::FunctionRef<model::Status(Snapshot& next)>;
  model::Status publish(Change change);

  /// Counts them in a new snapshot. Views of items that are not there yet wait for them.
  void set_views(std::span<const ports::ItemViews> totals, model::ViewsRevision revision);

  /// Answers no more from this snapshot, where it is still the current one: its files are damaged.
  void distrust(const Snapshot& snapshot, model::Error damage);

  /// Reads the manifest and every segment of the last commit, asking `stop` now and then. Corrupt; NotFound: nothing
  /// was committed; Cancelled.
  model::Status verify(model::FunctionRef<bool()> stop);

  const std::filesystem::path& path() const { return path_; }

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::filesystem::path segment_path(std::uint64_t number) const;
  bool is_fresh(const std::optional<FileStamp>& stamp);
  void reload();
  model::Result<std::shared_ptr<Snapshot>> read(const std::optional<FileStamp>& stamp);
  model::Result<std::shared_ptr<Snapshot>> opened(const Manifest& manifest);
  model::Result<LiveSegment> reopened(std::uint64_t number, const Snapshot* before);
  model::Status verify_commit(model::FunctionRef<bool()> stop);
  model::Status write(const Snapshot& snapshot);
  void show(std::shared_ptr<const Snapshot> snapshot, const std::optional<FileStamp>& stamp, model::Error problem);
  void count_views(LiveSegment& segment) const;
  void sweep();

  Files& files_;
  const std::filesystem::path path_;
  const std::filesystem::path manifest_;

  std::mutex publishing_;  // held over writes; taken before the other one
  std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>> counted_;
  model::ViewsRevision views_revision_ = 0;
  std::weak_ptr<FileLock> lock_;

  std::mutex showing_;  // held for the length of a copy
  std::shared_ptr<const Snapshot> snapshot_;
  std::optional<FileStamp> stamp_;  // of the manifest that was read last
  bool has_read_ = false;
  model::Error problem_;
  std::uint64_t next_segment_ = 1;
};

}  // namespace kbase::native_index
