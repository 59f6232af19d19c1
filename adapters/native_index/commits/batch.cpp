// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/batch.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kbase::native_index {
namespace {

using Build = ports::SearchIndex::Build;

constexpr std::size_t kBytesAlone = std::size_t{4} << 20;

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

model::Error nothing_to_update(const IndexFolder& folder) {
  return {model::ErrorCode::Unsupported,
          "The search index holds no state that these changes fit on; rebuild it.",
          folder.path().native(),
          {},
          {}};
}

}  // namespace

model::Result<std::unique_ptr<Batch>> Batch::begin(BatchSetup setup, std::shared_ptr<FileLock> lock) {
  std::optional<float> pivot;
  if (setup.build == Build::Update) {
    const auto current = setup.folder.current();
    if (!current || current->store_id != setup.store_id || current->settings != setup.settings)
      return nothing_to_update(setup.folder);
    if (current->documents > 0) pivot = current->pivot;
  }
  return std::unique_ptr<Batch>(new Batch(std::move(setup), std::move(lock), pivot));
}

Batch::Batch(BatchSetup setup, std::shared_ptr<FileLock> lock, std::optional<float> pivot)
    : setup_(std::move(setup)), lock_(std::move(lock)), pivot_(pivot) {
  const std::size_t shares = setup_.build == Build::Rebuild ? std::max<std::size_t>(1, setup_.threads) : 1;
  setup_.memory = std::max<std::size_t>(1, setup_.memory / shares);
  for (std::size_t i = 0; i < shares; ++i) shares_.emplace_back(setup_.folder, setup_.language);
}

Batch::~Batch() {
  workers_.clear();
  if (is_published_) return;
  for (const BatchShare& share : shares_)
    for (const BatchSegment& each : share.segments()) setup_.folder.remove_segment(each.number);
}

std::size_t Batch::share_of(std::string_view id) const {
  return shares_.size() == 1 ? 0 : std::hash<std::string_view>()(id) % shares_.size();
}

model::Status Batch::put(ports::Call&, std::span<const model::ItemView* const> items) {
  for (const model::ItemView* item : items)
    if (auto done = put(*item); !done) return done;
  return {};
}

model::Status Batch::put(const model::ItemView& item) {
  const std::size_t number = share_of(item.id);
  if (number > 0 && !workers_.empty()) return workers_[number - 1]->put(item);
  shares_[number].put(item);
  if (workers_.empty() && is_worth_threads()) start_workers();
  return shares_[0].gathered().bytes() < setup_.memory ? model::Status() : shares_[0].write(pivot());
}

/// Smaller batches finish before threads would help.
bool Batch::is_worth_threads() const {
  if (shares_.size() == 1) return false;
  std::size_t bytes = 0;
  for (const BatchShare& share : shares_) bytes += share.gathered().bytes();
  return bytes >= std::min(kBytesAlone, setup_.memory);
}

void Batch::start_workers() {
  for (std::size_t i = 1; i < shares_.size(); ++i)
    workers_.push_back(std::make_unique<BatchWorker>(shares_[i], pivot(), setup_.memory));
}

/// Returns the mean length of the items that were gathered first. Does not depend on the threads' timing.
float Batch::pivot() {
  if (pivot_) return *pivot_;
  std::uint64_t length = 0;
  std::uint64_t documents = 0;
  for (const BatchShare& share : shares_) {
    length += share.gathered().length();
    documents += share.gathered().documents();
  }
  pivot_ = documents == 0 ? 1 : std::max(1.0F, static_cast<float>(length) / static_cast<float>(documents));
  return *pivot_;
}

model::Status Batch::remove(ports::Call&, std::string_view id) {
  removed_.emplace_back(id);
  const std::size_t number = share_of(id);
  if (number > 0 && !workers_.empty()) return workers_[number - 1]->remove(id);
  shares_[number].remove(id);
  return {};
}

model::Status Batch::write_shares() {
  const float of_first = pivot();
  if (workers_.empty()) {
    for (BatchShare& share : shares_)
      if (auto written = share.write(of_first); !written) return written;
    return {};
  }
  auto written = shares_[0].write(of_first);
  for (const auto& worker : workers_)
    if (auto finished = worker->finish(); !finished) written = finished;
  return written;
}

model::Status Batch::commit(ports::Call&, model::Revision revision) {
  if (auto written = write_shares(); !written) return written;
  bool may_be_named = false;
  auto published = setup_.folder.publish([&](Snapshot& next) -> model::Status {
    if (setup_.build == Build::Rebuild) {
      next.segments.clear();
      next.settings = setup_.settings;
      next.store_id = setup_.store_id;
    } else if (next.store_id != setup_.store_id || next.settings != setup_.settings) {
      return nothing_to_update(setup_.folder);  // the previous state turned out to be damaged
    }
    delete_replaced(next.segments);
    if (next.segments.empty()) next.pivot = pivot();
    for (LiveSegment& segment : written_segments()) next.segments.push_back(std::move(segment));
    std::erase_if(next.segments, [](const LiveSegment& segment) { return segment.documents() == 0; });
    next.revision = revision;
    may_be_named = true;
    return {};
  });
  // If publish() fails after this point, the manifest may already name the segments, so they stay. The next writer
  // removes them if no manifest names them.
  is_published_ = may_be_named;
  return published;
}

std::vector<LiveSegment> Batch::written_segments() {
  std::vector<LiveSegment> written;
  for (BatchShare& share : shares_)
    for (BatchSegment& each : share.segments())
      written.push_back(
          {each.number, each.segment, std::make_shared<const DocumentSet>(std::move(each.deleted)), nullptr});
  return written;
}

void Batch::delete_replaced(std::vector<LiveSegment>& segments) const {
  IdBuffer buffer;
  for (LiveSegment& segment : segments) {
    Deletions deletions(segment);
    for (const std::string& id : removed_) deletions.add(id);
    for (const BatchShare& share : shares_)
      for (const BatchSegment& each : share.segments())
        for (std::uint32_t document = 0; document < each.segment->documents(); ++document)
          deletions.add(each.segment->columns().ids().id(document, buffer));
  }
  std::erase_if(segments, [](const LiveSegment& segment) { return segment.documents() == 0; });
}

}  // namespace kbase::native_index
