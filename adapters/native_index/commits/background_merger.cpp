// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/background_merger.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "adapters/native_index/commits/merge_policy.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"

namespace kbase::native_index {
namespace {

/// Maximum ratio between mean length and pivot before all impacts are recomputed. Within it, rankings hardly change.
constexpr float kMaxDrift = 1.5F;

constexpr int kNiceness = 10;

/// Mean document length in words, each weighted by its field.
float mean_length(const Snapshot& snapshot) {
  double words = 0;
  for (const LiveSegment& live : snapshot.segments) {
    const auto lengths = live.segment->columns().lengths();
    std::uint64_t all = 0;
    for (const std::uint32_t length : lengths) all += length;
    live.deleted->for_each([&](std::uint32_t document) { all -= lengths[document]; });
    words += static_cast<double>(all);
  }
  return snapshot.documents == 0 ? 1 : static_cast<float>(words / static_cast<double>(snapshot.documents));
}

float wanted_pivot(const Snapshot& snapshot) {
  const float mean = std::max(1.0F, mean_length(snapshot));
  const bool has_drifted = mean > snapshot.pivot * kMaxDrift || mean * kMaxDrift < snapshot.pivot;
  return has_drifted ? mean : snapshot.pivot;
}

std::vector<LiveSegment> chosen(const Snapshot& snapshot, float pivot) {
  std::vector<SegmentSize> sizes;
  for (const LiveSegment& live : snapshot.segments)
    sizes.push_back({live.documents(), live.deleted->size(), live.segment->pivot() == pivot});
  std::vector<LiveSegment> segments;
  for (const std::size_t place : choose_merge(sizes)) segments.push_back(snapshot.segments[place]);
  return segments;
}

/// Merges some segments of a snapshot and publishes the next snapshot with the merged segment.
class Merge {
 public:
  Merge(IndexFolder& folder, std::vector<LiveSegment> sources, float pivot)
      : folder_(folder), sources_(std::move(sources)), pivot_(pivot) {}
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;
  ~Merge() {
    if (number_ && !may_be_named_) folder_.remove_segment(*number_);
  }

  model::Status run(model::FunctionRef<bool()> stop) {
    auto created = folder_.create_segment();
    if (!created) return created.error();
    std::vector<MergeSource> sources;
    for (const LiveSegment& live : sources_) sources.push_back({live.segment.get(), live.deleted->words()});
    auto map = merge_segments(sources, ImpactScale(pivot_), created->file, stop);
    if (!map) return map.error();
    if (auto finished = created->file.finish(); !finished) return finished;
    number_ = created->number;
    auto segment = folder_.open_segment(*number_);
    if (!segment) return segment.error();
    merged_ = *std::move(segment);
    map_ = *std::move(map);
    return folder_.publish([this](Snapshot& next) { return replace_in(next); });
  }

 private:
  model::Status replace_in(Snapshot& next) {
    DocumentSet deleted(merged_->documents());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto now = std::find_if(next.segments.begin(), next.segments.end(),
                                    [&](const LiveSegment& live) { return live.number == sources_[i].number; });
      if (now == next.segments.end())
        return model::Error{model::ErrorCode::Cancelled, "The merge came too late.", "its segments are gone", {}, {}};
      now->deleted->for_each([&](std::uint32_t document) {
        if (map_[i][document] != kNoDocument) deleted.insert(map_[i][document]);
      });
      next.segments.erase(now);
    }
    next.segments.push_back({*number_, merged_, std::make_shared<const DocumentSet>(std::move(deleted)), nullptr});
    next.pivot = pivot_;
    may_be_named_ = true;
    return {};
  }

  IndexFolder& folder_;
  std::vector<LiveSegment> sources_;
  float pivot_;
  std::optional<std::uint64_t> number_;
  std::shared_ptr<const Segment> merged_;
  DocumentMap map_;
  bool may_be_named_ = false;
};

}  // namespace

model::Result<bool> merge_once(IndexFolder& folder, model::FunctionRef<bool()> stop) {
  auto snapshot = folder.current();
  if (!snapshot || chosen(*snapshot, wanted_pivot(*snapshot)).empty()) return false;
  const auto lock = folder.lock();
  if (!lock) return lock.error();
  snapshot = folder.current();  // unchanged by others while the lock is held
  if (!snapshot) return false;
  const float pivot = wanted_pivot(*snapshot);
  auto sources = chosen(*snapshot, pivot);
  if (sources.empty()) return false;
  const auto merged = Merge(folder, std::move(sources), pivot).run(stop);
  if (merged) return true;
  if (merged.error().code == model::ErrorCode::Corrupt) folder.distrust(*snapshot, merged.error());
  return merged.error();
}

BackgroundMerger::BackgroundMerger(IndexFolder& folder, ports::EventLog* log)
    : folder_(folder), log_(log), thread_([this](const std::stop_token& stop) { run(stop); }) {}

BackgroundMerger::~BackgroundMerger() {
  thread_.request_stop();
}

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
  bool is_checked = false;
  while (!is_over()) {
    {
      std::unique_lock lock(mutex_);
      woken_.wait(lock, stop, [this] { return is_woken_; });
      is_woken_ = false;
    }
    if (!is_checked) is_checked = check(is_over);
    for (bool more = true; more && !is_over();) {
      const auto merged = merge_once(folder_, is_over);
      more = merged && *merged;
      const bool is_expected = merged || merged.error().code == model::ErrorCode::Cancelled ||
                               merged.error().code == model::ErrorCode::Conflict;
      if (!is_expected) say("index.merge_failed", merged.error());
    }
  }
}

/// Returns false if the check must be repeated at the next wake-up.
bool BackgroundMerger::check(model::FunctionRef<bool()> stop) {
  const auto snapshot = folder_.current();
  if (!snapshot) return false;
  const auto sound = folder_.verify(stop);
  if (sound || sound.error().code != model::ErrorCode::Corrupt) return sound.has_value();
  say("index.damaged", sound.error());
  folder_.distrust(*snapshot, sound.error());
  return false;  // the rebuilt index must be checked too
}

void BackgroundMerger::say(std::string_view event, const model::Error& error) {
  if (log_ == nullptr) return;
  const ports::LogField fields[] = {{"path", folder_.path().native()}, {"detail", error.detail}};
  log_->log(ports::LogLevel::Warning, event, error.message, fields);
}

}  // namespace kbase::native_index
