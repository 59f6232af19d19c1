// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/index_folder.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "adapters/native_index/segments/segment.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

constexpr int kAttempts = 5;  // to read a commit that others replace

std::optional<std::uint64_t> segment_number(std::string_view name) {
  if (!name.starts_with(kSegmentPrefix)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data() + kSegmentPrefix.size(), name.data() + name.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

Error not_built_error(std::string detail) {
  return {ErrorCode::NotFound, "The search index has not been built yet.", std::move(detail)};
}

}  // namespace

IndexFolder::IndexFolder(Files& files, std::filesystem::path path)
    : files_(files), path_(std::move(path)), manifest_(path_ / kManifestName) {}

std::shared_ptr<const Snapshot> IndexFolder::current(bool may_read) {
  if (!is_fresh(files_.stamp(manifest_))) {
    if (!may_read) return nullptr;
    // If another thread publishes, it also updates snapshot_; searches do not wait for it.
    const std::unique_lock publish_lock(publish_mutex_, std::try_to_lock);
    if (publish_lock.owns_lock()) reload();
  }
  const std::lock_guard snapshot_lock(snapshot_mutex_);
  return snapshot_;
}

Error IndexFolder::problem() {
  const std::lock_guard snapshot_lock(snapshot_mutex_);
  return problem_;
}

bool IndexFolder::is_fresh(const std::optional<FileStamp>& stamp) {
  const std::lock_guard snapshot_lock(snapshot_mutex_);
  return has_read_ && stamp == stamp_;
}

/// Requires publish_mutex_.
void IndexFolder::reload() {
  for (int attempt = 1;; ++attempt) {
    const std::optional<FileStamp> stamp = files_.stamp(manifest_);
    if (is_fresh(stamp)) return;
    auto snapshot = read(stamp);
    if (snapshot) return set_snapshot(*std::move(snapshot), stamp, {});
    const bool replaced = files_.stamp(manifest_) != stamp;
    if (replaced && attempt < kAttempts) continue;
    // A transient failure is retried at the next call.
    if (snapshot.error().code == ErrorCode::Unavailable) return;
    return set_snapshot(nullptr, stamp, snapshot.error());
  }
}

Result<std::shared_ptr<Snapshot>> IndexFolder::read(const std::optional<FileStamp>& stamp) {
  if (!stamp) return not_built_error(manifest_.native() + " does not exist");
  const auto file = KBASE_TRY(files_.map(manifest_));
  const auto manifest = decode_manifest(file->bytes());
  if (!manifest) return manifest.error().during(path_.native());
  return open_snapshot(*manifest);
}

Result<std::shared_ptr<Snapshot>> IndexFolder::open_snapshot(const Manifest& manifest) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->settings = manifest.settings;
  snapshot->store_id = manifest.store_id;
  snapshot->revision = manifest.revision;
  snapshot->views_revision = views_revision_;
  std::shared_ptr<const Snapshot> before;
  {
    const std::lock_guard snapshot_lock(snapshot_mutex_);
    before = snapshot_;
  }
  for (const SegmentRecord& record : manifest.segments) {
    auto live = KBASE_TRY(reuse_or_open_segment(record.number, before.get()));
    if (record.deleted.words().size() != DocumentSet(live.segment->documents()).words().size())
      return corrupt_error(segment_path(record.number).native() + " is not the segment that the manifest names");
    live.deleted = std::make_shared<const DocumentSet>(record.deleted);
    snapshot->segments.push_back(std::move(live));
  }
  count_documents(*snapshot);
  const std::lock_guard snapshot_lock(snapshot_mutex_);
  next_segment_ = std::max(next_segment_, manifest.next_segment);
  return snapshot;
}

/// Reuses the segment of the previous snapshot if its file is unchanged, so that a commit of another process costs only
/// its new segments. The caller sets the deleted documents. Requires publish_mutex_.
Result<LiveSegment> IndexFolder::reuse_or_open_segment(std::uint64_t number, const Snapshot* before) {
  const std::optional<FileStamp> stamp = files_.stamp(segment_path(number));
  if (before != nullptr && stamp)
    for (const LiveSegment& live : before->segments)
      if (live.number == number && live.segment->file().stamp() == stamp) return live;
  auto segment = KBASE_TRY(open_segment(number));
  LiveSegment live{number, std::move(segment), nullptr, nullptr};
  count_views(live);
  return live;
}

void IndexFolder::set_snapshot(std::shared_ptr<const Snapshot> snapshot, const std::optional<FileStamp>& stamp,
                               Error problem) {
  const std::lock_guard snapshot_lock(snapshot_mutex_);
  snapshot_.swap(snapshot);  // the old snapshot is freed after the lock is released
  stamp_ = stamp;
  has_read_ = true;
  problem_ = std::move(problem);
}

Result<std::shared_ptr<FileLock>> IndexFolder::lock() {
  const std::lock_guard publish_lock(publish_mutex_);
  if (auto held = lock_.lock()) return held;
  KBASE_TRY(files_.create_folder(path_));
  auto lock = KBASE_TRY(files_.lock(path_ / "lock"));
  std::shared_ptr<FileLock> shared = std::move(lock);
  reload();
  remove_unused_segments();
  lock_ = shared;
  return shared;
}

/// Removes segments that no commit names and no writer creates. Raises next_segment_ above every number found: numbers
/// are never reused, because another process may still know the file of an old number. Requires publish_mutex_ and a
/// lock that was just acquired.
void IndexFolder::remove_unused_segments() {
  const auto names = files_.list(path_);
  if (!names) return;
  std::set<std::uint64_t> live;
  {
    const std::lock_guard snapshot_lock(snapshot_mutex_);
    // The segments of an unreadable commit are unknown, so none is removed.
    const bool is_known = snapshot_ != nullptr || problem_.code == ErrorCode::NotFound;
    if (snapshot_)
      for (const LiveSegment& segment : snapshot_->segments) live.insert(segment.number);
    for (const std::string& name : *names) {
      const auto number = segment_number(name);
      if (!number) continue;
      next_segment_ = std::max(next_segment_, *number + 1);
      if (!is_known) live.insert(*number);
    }
  }
  for (const std::string& name : *names)
    if (const auto number = segment_number(name); number && !live.contains(*number)) (void)files_.remove(path_ / name);
}

Result<NewSegment> IndexFolder::create_segment() {
  std::uint64_t number = 0;
  {
    const std::lock_guard snapshot_lock(snapshot_mutex_);
    number = next_segment_++;
  }
  auto file = KBASE_TRY(SectionFileWriter::create(files_, segment_path(number), kSegmentFormat));
  return NewSegment{number, std::move(file)};
}

Result<std::shared_ptr<const Segment>> IndexFolder::open_segment(std::uint64_t number) {
  return Segment::open(files_, segment_path(number));
}

void IndexFolder::remove_segment(std::uint64_t number) {
  (void)files_.remove(segment_path(number));  // if this fails, the next writer removes the file
}

std::filesystem::path IndexFolder::segment_path(std::uint64_t number) const {
  return path_ / (std::string(kSegmentPrefix) + std::to_string(number));
}

Status IndexFolder::publish(Change change) {
  const std::lock_guard publish_lock(publish_mutex_);
  reload();
  std::shared_ptr<const Snapshot> before;
  {
    const std::lock_guard snapshot_lock(snapshot_mutex_);
    before = snapshot_;
  }
  auto next = before ? std::make_shared<Snapshot>(*before) : std::make_shared<Snapshot>();
  next->views_revision = views_revision_;
  KBASE_TRY(change(*next));
  for (LiveSegment& segment : next->segments)
    if (!segment.views) count_views(segment);
  count_documents(*next);
  auto written = write(*next);
  if (!written) {
    reload();  // the state on disk
    return written;
  }
  set_snapshot(next, files_.stamp(manifest_), {});
  std::set<std::uint64_t> live;
  for (const LiveSegment& segment : next->segments) live.insert(segment.number);
  if (before)
    for (const LiveSegment& segment : before->segments)
      if (!live.contains(segment.number)) remove_segment(segment.number);
  return {};
}

Status IndexFolder::write(const Snapshot& snapshot) {
  Manifest manifest;
  manifest.settings = snapshot.settings;
  manifest.store_id = snapshot.store_id;
  manifest.revision = snapshot.revision;
  for (const LiveSegment& segment : snapshot.segments) manifest.segments.push_back({segment.number, *segment.deleted});
  {
    const std::lock_guard snapshot_lock(snapshot_mutex_);
    manifest.next_segment = next_segment_;
  }
  // The names of the segments must be durable before the manifest that names them.
  KBASE_TRY(files_.sync_folder(path_));
  return replace_file(files_, manifest_, encode_manifest(manifest));
}

void IndexFolder::set_views(std::span<const ports::ItemViews> totals, model::ViewsRevision revision) {
  const std::lock_guard publish_lock(publish_mutex_);
  views_revision_ = revision;
  for (const ports::ItemViews& each : totals) counted_views_.insert_or_assign(std::string(each.item), each.views);

  std::shared_ptr<const Snapshot> before;
  std::optional<FileStamp> stamp;
  {
    const std::lock_guard snapshot_lock(snapshot_mutex_);
    before = snapshot_;
    stamp = stamp_;
  }
  if (!before) return;
  auto next = std::make_shared<Snapshot>(*before);
  next->views_revision = revision;
  for (LiveSegment& segment : next->segments) {
    const NumberColumn& imported = segment.segment->columns().views();
    std::optional<std::vector<std::uint64_t>> views;
    for (const ports::ItemViews& each : totals) {
      const auto document = segment.segment->columns().ids().find(each.item);
      if (!document) continue;
      if (!views) views = segment.views->all();
      (*views)[*document] = add_views(imported[*document], each.views);
    }
    if (views) segment.views = std::make_shared<const ViewCounts>(*std::move(views));
  }
  set_snapshot(std::move(next), stamp, {});
}

/// Requires publish_mutex_.
void IndexFolder::count_views(LiveSegment& segment) const {
  const NumberColumn& imported = segment.segment->columns().views();
  std::vector<std::uint64_t> views(imported.size());
  for (std::size_t i = 0; i < views.size(); ++i) views[i] = imported[i];
  const std::uint32_t documents = counted_views_.empty() ? 0 : segment.segment->documents();
  IdBuffer buffer;
  for (std::uint32_t document = 0; document < documents; ++document) {
    const auto found = counted_views_.find(segment.segment->columns().ids().id(document, buffer));
    if (found != counted_views_.end()) views[document] = add_views(imported[document], found->second);
  }
  segment.views = std::make_shared<const ViewCounts>(std::move(views));
}

void IndexFolder::mark_damaged(const Snapshot& snapshot, Error damage) {
  std::shared_ptr<const Snapshot> damaged_snapshot;
  const std::lock_guard snapshot_lock(snapshot_mutex_);
  if (snapshot_.get() != &snapshot) return;
  snapshot_.swap(damaged_snapshot);
  problem_ = std::move(damage);
}

Status IndexFolder::verify(FunctionRef<bool()> stop) {
  for (int attempt = 1;; ++attempt) {
    const std::optional<FileStamp> stamp = files_.stamp(manifest_);
    if (!stamp) return not_built_error(manifest_.native() + " does not exist");
    auto verified = verify_commit(stop);
    // If the commit was replaced meanwhile, some of its files may be gone.
    const bool replaced = files_.stamp(manifest_) != stamp;
    if (verified || !replaced || attempt == kAttempts) return verified;
  }
}

Status IndexFolder::verify_commit(FunctionRef<bool()> stop) {
  const auto file = KBASE_TRY(files_.map(manifest_));
  const auto manifest = decode_manifest(file->bytes());
  if (!manifest) return manifest.error().during(path_.native());
  std::vector<std::shared_ptr<const Segment>> segments;  // opened before the first is read, so that none disappears
  for (const SegmentRecord& record : manifest->segments) {
    auto segment = open_segment(record.number);
    if (!segment && segment.error().code == ErrorCode::NotFound)
      return corrupt_error(segment_path(record.number).native() + " is missing");
    if (!segment) return segment.error();
    segments.push_back(*std::move(segment));
  }
  for (const auto& segment : segments) {
    const auto verified = segment->file().verify(stop);
    if (verified) continue;
    const bool is_damaged = verified.error().code == ErrorCode::Corrupt;
    return is_damaged ? segment->file().verify() : verified;  // names every damaged section
  }
  return {};
}

}  // namespace kbase::native_index
