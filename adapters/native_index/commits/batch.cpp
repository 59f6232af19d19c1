// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/batch.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "adapters/native_index/commits/merge_policy.hpp"
#include "adapters/native_index/segments/segment_merger.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

using Build = ports::SearchIndex::Build;

constexpr std::size_t kMinParallelBytes = std::size_t{1} << 20;

/// A partition merges its segments of a size when there are this many. A lower number copies the items of a
/// middle-sized rebuild once more. A higher one slows down the lookup of replaced items, and searches until the
/// background merge.
constexpr std::size_t kManySegments = 32;

/// Copy-on-write access to a segment's deleted documents, because the set of a published snapshot never changes.
class Deletions {
 public:
  explicit Deletions(LiveSegment& segment) : segment_(segment) {}
  ~Deletions() {
    if (changed_) segment_.deleted = std::move(changed_);
  }
  Deletions(const Deletions&) = delete;
  Deletions& operator=(const Deletions&) = delete;

  void add(std::string_view id) {
    const auto document = segment_.segment->columns().ids().find(id);
    if (!document || segment_.deleted->contains(*document)) return;
    if (!changed_) changed_ = std::make_shared<DocumentSet>(*segment_.deleted);
    changed_->insert(*document);
  }

 private:
  LiveSegment& segment_;
  std::shared_ptr<DocumentSet> changed_;
};

Error cannot_update_error(const IndexFolder& folder) {
  return {ErrorCode::Unsupported, "The changes do not match the state of the search index. Rebuild it.",
          folder.path().native()};
}

/// Returns the dictionary of the largest segment that an update keeps; null: none.
std::shared_ptr<const TextDictionary> find_dictionary(const BatchSetup& setup) {
  const auto snapshot = setup.build == Build::Update ? setup.folder.current() : nullptr;
  if (snapshot == nullptr || snapshot->segments.empty()) return nullptr;
  const auto largest = std::max_element(
      snapshot->segments.begin(), snapshot->segments.end(),
      [](const LiveSegment& a, const LiveSegment& b) { return a.segment->documents() < b.segment->documents(); });
  return largest->segment->store().dictionary();
}

// Large enough to make the handover cheap, small enough to use little memory compared with the segments.
constexpr std::size_t kChangesPerBlock = 64;
constexpr std::size_t kMaxQueuedBlocks = 16;

}  // namespace

Result<std::unique_ptr<Batch>> Batch::begin(BatchSetup setup, std::shared_ptr<FileLock> lock) {
  if (setup.build == Build::Update) {
    const auto current = setup.folder.current();
    if (!current || current->store_id != setup.store_id || current->settings != setup.settings)
      return cannot_update_error(setup.folder);
  }
  return std::unique_ptr<Batch>(new Batch(std::move(setup), std::move(lock)));
}

Batch::Batch(BatchSetup setup, std::shared_ptr<FileLock> lock)
    : setup_(std::move(setup)), lock_(std::move(lock)), dictionary_(find_dictionary(setup_)) {
  const std::size_t partitions = setup_.build == Build::Rebuild ? std::max<std::size_t>(1, setup_.threads) : 1;
  setup_.memory = std::max<std::size_t>(1, setup_.memory / partitions);
  for (std::size_t i = 0; i < partitions; ++i) partitions_.emplace_back(setup_.folder, setup_.language, dictionary_);
}

Batch::~Batch() {
  workers_.clear();
  if (is_published_) return;
  for (const BatchPartition& partition : partitions_)
    for (const BatchSegment& each : partition.segments()) setup_.folder.remove_segment(each.number);
}

std::size_t Batch::choose_partition(std::string_view id) const {
  return partitions_.size() == 1 ? 0 : std::hash<std::string_view>()(id) % partitions_.size();
}

Status Batch::put(ports::Call&, std::span<const model::ItemView* const> items) {
  for (const model::ItemView* item : items) KBASE_TRY(put(*item));
  return {};
}

Status Batch::put(const model::ItemView& item) {
  const std::size_t number = choose_partition(item.id);
  if (!workers_.empty()) return workers_[number]->put(item);
  partitions_[number].put(item);
  if (should_start_workers()) {
    start_workers();
    return {};
  }
  return partitions_[0].pending().bytes() < setup_.memory ? Status() : partitions_[0].write();
}

/// Smaller batches finish before threads would help.
bool Batch::should_start_workers() const {
  if (partitions_.size() == 1) return false;
  std::size_t bytes = 0;
  for (const BatchPartition& partition : partitions_) bytes += partition.pending().bytes();
  return bytes >= std::min(kMinParallelBytes, setup_.memory);
}

void Batch::start_workers() {
  for (BatchPartition& partition : partitions_)
    workers_.push_back(std::make_unique<BatchWorker>(partition, setup_.memory));
}

Status Batch::remove(ports::Call&, std::string_view id) {
  removed_.emplace_back(id);
  const std::size_t number = choose_partition(id);
  if (!workers_.empty()) return workers_[number]->remove(id);
  partitions_[number].remove(id);
  return {};
}

Status Batch::write_partitions() {
  if (workers_.empty()) {
    for (BatchPartition& partition : partitions_) KBASE_TRY(partition.write());
    return {};
  }
  Status written;
  for (const auto& worker : workers_)
    if (auto ended = worker->begin_finish(); !ended) written = ended;
  for (const auto& worker : workers_)
    if (auto finished = worker->finish(); !finished) written = finished;
  return written;
}

Status Batch::commit(ports::Call&, model::Revision revision) {
  KBASE_TRY(write_partitions());
  bool may_be_published = false;
  auto published = setup_.folder.publish([&](Snapshot& next) -> Status {
    if (setup_.build == Build::Rebuild) {
      next.segments.clear();
      next.settings = setup_.settings;
      next.store_id = setup_.store_id;
    } else if (next.store_id != setup_.store_id || next.settings != setup_.settings) {
      return cannot_update_error(setup_.folder);  // the previous state turned out to be damaged
    }
    delete_replaced(next.segments);
    for (LiveSegment& segment : take_segments()) next.segments.push_back(std::move(segment));
    std::erase_if(next.segments, [](const LiveSegment& segment) { return segment.documents() == 0; });
    next.revision = revision;
    may_be_published = true;
    return {};
  });
  // If publish() fails after this point, the manifest may already name the segments, so they stay. The next writer
  // removes them if no manifest names them.
  is_published_ = may_be_published;
  return published;
}

std::vector<LiveSegment> Batch::take_segments() {
  std::vector<LiveSegment> written;
  for (BatchPartition& partition : partitions_)
    for (BatchSegment& each : partition.segments())
      written.push_back(
          {each.number, each.segment, std::make_shared<const DocumentSet>(std::move(each.deleted)), nullptr});
  return written;
}

void Batch::delete_replaced(std::vector<LiveSegment>& segments) const {
  IdBuffer buffer;
  for (LiveSegment& segment : segments) {
    Deletions deletions(segment);
    for (const std::string& id : removed_) deletions.add(id);
    for (const BatchPartition& partition : partitions_)
      for (const BatchSegment& each : partition.segments())
        for (std::uint32_t document = 0; document < each.segment->documents(); ++document)
          deletions.add(each.segment->columns().ids().id(document, buffer));
  }
  std::erase_if(segments, [](const LiveSegment& segment) { return segment.documents() == 0; });
}

void BatchPartition::put(const model::ItemView& item) {
  if (seen_.insert(item.id)) delete_written(item.id);
  builder_.add(item, language_ ? text::ItemLanguages{*language_}
                               : text::item_languages(text::detect_language(item.title, item.content)));
}

void BatchPartition::remove(std::string_view id) {
  delete_written(id);
  builder_.remove(id);
}

/// Deletes the item from the segments already written.
void BatchPartition::delete_written(std::string_view id) {
  for (BatchSegment& each : segments_)
    if (const auto document = each.segment->columns().ids().find(id)) each.deleted.insert(*document);
}

Status BatchPartition::write() {
  if (builder_.documents() == 0) return {};
  KBASE_TRY(write_segment([this](SectionFileWriter& file) { return builder_.write(file, dictionary_.get(builder_)); }));
  return merge_many();
}

Status BatchPartition::merge_many() {
  std::vector<SegmentSize> sizes;
  for (const BatchSegment& each : segments_) sizes.push_back({each.segment->documents() - each.deleted.size(), 0});
  const std::vector<std::size_t> chosen = choose_tier(sizes, kManySegments);
  if (chosen.empty()) return {};
  std::vector<MergeSource> sources;
  for (const std::size_t i : chosen) sources.push_back({segments_[i].segment.get(), segments_[i].deleted.words()});
  KBASE_TRY(write_segment([&](SectionFileWriter& file) -> Status {
    const auto merged = merge_segments(sources, file, [this] { return is_stopped_.load(); });
    return merged ? Status() : merged.error();
  }));
  for (auto i = chosen.rbegin(); i != chosen.rend(); ++i) {
    folder_.remove_segment(segments_[*i].number);
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  return {};
}

/// Adds the segment that `writer` writes.
Status BatchPartition::write_segment(FunctionRef<Status(SectionFileWriter&)> writer) {
  auto created = KBASE_TRY(folder_.create_segment());
  const std::uint64_t number = created.number;
  KBASE_TRY(writer(created.file));
  KBASE_TRY(created.file.finish());
  auto segment = folder_.open_segment(number);
  if (!segment) {
    folder_.remove_segment(number);
    return segment.error();
  }
  DocumentSet none((*segment)->documents());
  segments_.push_back({number, *std::move(segment), std::move(none)});
  return {};
}

BatchWorker::BatchWorker(BatchPartition& partition, std::size_t memory)
    : partition_(partition), memory_(memory), thread_([this] { run(); }) {}

BatchWorker::~BatchWorker() {
  {
    const std::lock_guard lock(mutex_);
    queue_.clear();
  }
  partition_.request_stop();
  end_queue();
  if (thread_.joinable()) thread_.join();
}

Status BatchWorker::put(const model::ItemView& item) { return add(model::Item(item)); }

Status BatchWorker::remove(std::string_view id) { return add(std::string(id)); }

Status BatchWorker::add(Change change) {
  next_block_.push_back(std::move(change));
  return next_block_.size() < kChangesPerBlock ? Status() : enqueue();
}

Status BatchWorker::enqueue() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return queue_.size() < kMaxQueuedBlocks || !status_; });
  if (!status_) return status_;
  queue_.push_back(std::exchange(next_block_, {}));
  changed_.notify_all();
  return {};
}

Status BatchWorker::begin_finish() {
  auto enqueued = enqueue();
  end_queue();
  return enqueued;
}

Status BatchWorker::finish() {
  thread_.join();
  return status_;
}

void BatchWorker::end_queue() {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
  changed_.notify_all();
}

void BatchWorker::run() {
  for (;;) {
    Changes changes;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
      if (queue_.empty()) break;
      changes = std::move(queue_.front());
      queue_.pop_front();
      changed_.notify_all();
    }
    if (auto applied = apply(changes); !applied) {
      const std::lock_guard lock(mutex_);
      status_ = std::move(applied);
      changed_.notify_all();
      return;
    }
  }
  auto written = partition_.write();
  const std::lock_guard lock(mutex_);
  status_ = std::move(written);
}

Status BatchWorker::apply(const Changes& changes) {
  for (const Change& change : changes) {
    if (const auto* const id = std::get_if<std::string>(&change)) {
      partition_.remove(*id);
      continue;
    }
    partition_.put(std::get<model::Item>(change).view());
    if (partition_.pending().bytes() < memory_) continue;
    KBASE_TRY(partition_.write());
  }
  return {};
}

}  // namespace kbase::native_index
