// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/batch.hpp"

#include <algorithm>
#include <utility>

namespace kbase::native_index {
namespace {

using Build = ports::SearchIndex::Build;

/// The deletions of a segment that change as a copy of those of a snapshot, which never do.
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
    if (!current || current->lineage != setup.lineage || current->settings != setup.settings)
      return nothing_to_update(setup.folder);
    if (current->documents > 0) pivot = current->pivot;
  }
  std::unique_ptr<Batch> batch(new Batch(std::move(setup), std::move(lock)));
  batch->pivot_ = pivot;
  return batch;
}

Batch::Batch(BatchSetup setup, std::shared_ptr<FileLock> lock) : setup_(std::move(setup)), lock_(std::move(lock)) {}

Batch::~Batch() {
  if (is_published_) return;
  for (const Own& own : own_) setup_.folder.remove_segment(own.number);
}

model::Status Batch::put(ports::Call&, std::span<const model::ItemView* const> items) {
  for (const model::ItemView* item : items) {
    take_out(item->id);
    builder_.add(*item, setup_.language ? *setup_.language : text::detect_language(item->title, item->content));
    if (builder_.bytes() < setup_.memory) continue;
    if (auto written = write_segment(); !written) return written;
  }
  return {};
}

model::Status Batch::remove(ports::Call&, std::string_view id) {
  take_out(id);
  builder_.remove(id);
  removed_.emplace_back(id);
  return {};
}

/// Of the segments that the batch has written.
void Batch::take_out(std::string_view id) {
  for (Own& own : own_)
    if (const auto document = own.segment->columns().ids().find(id)) own.deleted.insert(*document);
}

model::Status Batch::write_segment() {
  if (builder_.documents() == 0) return {};
  if (!pivot_) pivot_ = std::max(1.0F, builder_.mean_length());
  auto created = setup_.folder.create_segment();
  if (!created) return created.error();
  const std::uint64_t number = created->number;
  auto written = builder_.write(created->file, ImpactScale(*pivot_));
  if (written) written = created->file.finish();
  if (!written) return written;
  auto segment = setup_.folder.open_segment(number);
  if (!segment) {
    setup_.folder.remove_segment(number);
    return segment.error();
  }
  DocumentSet none((*segment)->documents());
  own_.push_back({number, *std::move(segment), std::move(none)});
  return {};
}

model::Status Batch::commit(ports::Call&, model::Revision revision) {
  if (auto written = write_segment(); !written) return written;
  bool may_be_named = false;
  auto published = setup_.folder.publish([&](Snapshot& next) -> model::Status {
    if (setup_.build == Build::Rebuild) {
      next.segments.clear();
      next.settings = setup_.settings;
      next.lineage = setup_.lineage;
    } else if (next.lineage != setup_.lineage || next.settings != setup_.settings) {
      return nothing_to_update(setup_.folder);  // what was there has turned out to be damaged
    }
    delete_replaced(next.segments);
    if (next.segments.empty()) next.pivot = pivot_.value_or(1);
    for (Own& own : own_)
      next.segments.push_back(
          {own.number, own.segment, std::make_shared<const DocumentSet>(std::move(own.deleted)), nullptr});
    std::erase_if(next.segments, [](const LiveSegment& segment) { return segment.documents() == 0; });
    next.revision = revision;
    may_be_named = true;
    return {};
  });
  // After a failure of the last step nobody knows: what is not named the next writer sweeps away.
  is_published_ = may_be_named;
  return published;
}

void Batch::delete_replaced(std::vector<LiveSegment>& segments) const {
  IdBuffer buffer;
  for (LiveSegment& segment : segments) {
    Deletions deletions(segment);
    for (const std::string& id : removed_) deletions.add(id);
    for (const Own& own : own_)
      for (std::uint32_t document = 0; document < own.segment->documents(); ++document)
        deletions.add(own.segment->columns().ids().id(document, buffer));
  }
  std::erase_if(segments, [](const LiveSegment& segment) { return segment.documents() == 0; });
}

}  // namespace kbase::native_index
