// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/background_merger.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/native_index/commits/merge_policy.hpp"
#include "adapters/native_index/commits/other_formats.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

constexpr int kNiceness = 10;

std::vector<LiveSegment> choose_sources(const Snapshot& snapshot, MergeScope scope) {
  if (scope == MergeScope::All) return snapshot.segments.size() > 1 ? snapshot.segments : std::vector<LiveSegment>();
  std::vector<SegmentSize> sizes;
  for (const LiveSegment& live : snapshot.segments) sizes.push_back({live.documents(), live.deleted->size()});
  std::vector<LiveSegment> segments;
  for (const std::size_t index : choose_merge(sizes, scope != MergeScope::Tiers))
    segments.push_back(snapshot.segments[index]);
  return segments;
}

/// Merges some segments of a snapshot and publishes the next snapshot with the merged segment.
class Merge {
 public:
  Merge(IndexFolder& folder, std::vector<LiveSegment> sources) : folder_(folder), sources_(std::move(sources)) {}
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge() {
    if (number_ && !may_be_published_) folder_.remove_segment(*number_);
  }

  Status run(FunctionRef<bool()> stop) {
    auto created = KBASE_TRY(folder_.create_segment());
    std::vector<MergeSource> sources;
    for (const LiveSegment& live : sources_) sources.push_back({live.segment.get(), live.deleted->words()});
    auto map = KBASE_TRY(merge_segments(sources, created.file, stop));
    KBASE_TRY(created.file.finish());
    number_ = created.number;
    auto segment = KBASE_TRY(folder_.open_segment(*number_));
    merged_ = std::move(segment);
    map_ = std::move(map);
    return folder_.publish([this](Snapshot& next) { return replace_in(next); });
  }

 private:
  Status replace_in(Snapshot& next) {
    DocumentSet deleted(merged_->documents());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto now = std::find_if(next.segments.begin(), next.segments.end(),
                                    [&](const LiveSegment& live) { return live.number == sources_[i].number; });
      if (now == next.segments.end())
        return Error{ErrorCode::Cancelled, "The merge was cancelled because its segments were replaced.", ""};
      now->deleted->for_each([&](std::uint32_t document) {
        if (map_[i][document] != kNoDocument) deleted.insert(map_[i][document]);
      });
      next.segments.erase(now);
    }
    next.segments.push_back({*number_, merged_, std::make_shared<const DocumentSet>(std::move(deleted)), nullptr});
    may_be_published_ = true;
    return {};
  }

  IndexFolder& folder_;
  std::vector<LiveSegment> sources_;
  std::optional<std::uint64_t> number_;
  std::shared_ptr<const Segment> merged_;
  DocumentMap map_;
  bool may_be_published_ = false;
};

}  // namespace

Result<bool> merge_once(IndexFolder& folder, MergeScope scope, FunctionRef<bool()> stop) {
  auto snapshot = folder.current();
  if (!snapshot || choose_sources(*snapshot, scope).empty()) return false;
  const auto lock = KBASE_TRY(folder.lock());
  snapshot = folder.current();  // unchanged by others while the lock is held
  if (!snapshot) return false;
  auto sources = choose_sources(*snapshot, scope);
  if (sources.empty()) return false;
  const auto merged = Merge(folder, std::move(sources)).run(stop);
  if (merged) return true;
  if (merged.error().code == ErrorCode::Corrupt) folder.mark_damaged(*snapshot, merged.error());
  return merged.error();
}

BackgroundMerger::BackgroundMerger(IndexFolder& folder, ports::EventLog* log, std::filesystem::path other_formats)
    : folder_(folder),
      log_(log),
      other_formats_(std::move(other_formats)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

BackgroundMerger::~BackgroundMerger() { thread_.request_stop(); }

void BackgroundMerger::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  woken_.notify_one();
}

void BackgroundMerger::run(const std::stop_token& stop) {
  // Affects only this thread, as Linux applies it per thread (setpriority(2), Notes).
  (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
  const auto is_over = [&stop] { return stop.stop_requested(); };
  bool is_verified = false;
  while (!is_over()) {
    {
      std::unique_lock lock(mutex_);
      woken_.wait(lock, stop, [this] { return is_woken_; });
      is_woken_ = false;
    }
    if (!is_verified) {
      is_verified = verify_once(is_over);
      if (is_verified && !other_formats_.empty()) remove_other_formats(other_formats_);
    }
    merge(is_over);
  }
}

void BackgroundMerger::merge(FunctionRef<bool()> stop) {
  for (bool more = true; more && !stop();) {
    const auto snapshot = folder_.current();
    if (!snapshot) return;
    const MergeScope scope = snapshot->documents < merges_all_from_ ? MergeScope::Tiers : MergeScope::Due;
    const auto merged = merge_once(folder_, scope, stop);
    more = merged && *merged;
    const bool is_expected =
        merged || merged.error().code == ErrorCode::Cancelled || merged.error().code == ErrorCode::Conflict;
    if (is_expected) continue;
    log_failure("index.merge_failed", merged.error());
    if (scope == MergeScope::Tiers) continue;
    merges_all_from_ = snapshot->documents + snapshot->documents / 4 + 1;
    more = true;
  }
}

/// Returns false if the check must be repeated at the next wake-up.
bool BackgroundMerger::verify_once(FunctionRef<bool()> stop) {
  const auto snapshot = folder_.current();
  if (!snapshot) return false;
  const auto verified = folder_.verify(stop);
  if (verified || verified.error().code != ErrorCode::Corrupt) return verified.has_value();
  log_failure("index.damaged", verified.error());
  folder_.mark_damaged(*snapshot, verified.error());
  return false;  // the rebuilt index must be checked too
}

void BackgroundMerger::log_failure(std::string_view event, const Error& error) {
  if (log_ == nullptr) return;
  const ports::LogField fields[] = {{"path", folder_.path().native()}, {"detail", error.detail}};
  log_->log(ports::LogLevel::Warning, event, error.message, fields);
}

}  // namespace kbase::native_index
