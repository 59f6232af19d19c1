// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"

#include <vector>

namespace kbase::runtime {
namespace {

/// Collects items into batches for an index writer, because an index that works on several threads needs more than one
/// item at a time. Copies the items: a store's rows are valid only during the callback.
class Feeder {
 public:
  Feeder(ports::Call& call, ports::IndexWriter& writer) : call_(call), writer_(writer) {}

  model::Status take(const ports::Change& change) {
    if (change.kind == ports::Change::Kind::ItemPut) {
      items_.emplace_back(*change.item);
      bytes_ += change.item->content.size();
      return items_.size() < kMostItems && bytes_ < kMostBytes ? model::Status() : flush();
    }
    if (change.kind != ports::Change::Kind::ItemRemoved) return {};
    if (auto flushed = flush(); !flushed) return flushed;
    return writer_.remove(call_, change.id);
  }

  model::Status flush() {
    std::vector<const model::ItemView*> views;
    for (const model::Item& item : items_) views.push_back(&item.view());
    auto put = views.empty() ? model::Status() : writer_.put(call_, views);
    items_.clear();
    bytes_ = 0;
    return put;
  }

 private:
  static constexpr std::size_t kMostItems = 512;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  ports::Call& call_;
  ports::IndexWriter& writer_;
  std::vector<model::Item> items_;
  std::size_t bytes_ = 0;
};

}  // namespace

using Build = ports::SearchIndex::Build;

model::Result<IndexFollower::Outcome> IndexFollower::follow(ports::Call& call) {
  auto work = look(call);
  if (!work) return work.error();
  if (work->is_none) return Outcome::UpToDate;
  const auto turn = take_turn(call);
  if (!turn) return turn.error();
  // The previous lease holder may have done the work meanwhile.
  if (*turn != nullptr) work = look(call);
  if (!work) return work.error();
  if (work->is_none) return Outcome::UpToDate;

  return work->may_update ? update(call, *turn, *work) : rebuild_since(call, *turn, *work->rebuild);
}

model::Result<IndexFollower::Outcome> IndexFollower::update(ports::Call& call, const Turn& turn, const Work& work) {
  const auto updated = apply(call, turn, Build::Update, work.after);
  if (updated) return Outcome::Updated;
  if (updated.error().code == model::ErrorCode::Unsupported && work.rebuild)
    return rebuild_since(call, turn, *work.rebuild);
  if (updated.error().code != model::ErrorCode::Gone) return updated.error().during("update the index");
  return rebuild_since(call, turn, {"it is older than what the store remembers of removed items", {}});
}

model::Result<IndexFollower::Work> IndexFollower::look(ports::Call& call) {
  const auto state = index_.state(call);
  if (!state) return state.error();
  const auto revision = items_.revision(call);
  if (!revision) return revision.error();
  seen_ = *revision;
  Work work;
  if (!state->complete)
    work.rebuild = why_incomplete(call);
  else if (state->store_id != items_.store_id())
    work.rebuild = Reason{"it is of another store", {}};
  else if (state->revision > *revision)
    work.rebuild = Reason{"it is ahead of the store", {}};
  else
    work.is_none = state->revision == *revision;
  // An incomplete index may be the result of an interrupted batch; the next batch completes it if the index supports
  // that.
  work.may_update = state->store_id == items_.store_id() && state->revision <= *revision;
  work.after = state->revision;
  return work;
}

model::Result<IndexFollower::Turn> IndexFollower::take_turn(ports::Call& call) {
  if (lease_ == nullptr) return Turn();
  return lease_->take(call);
}

IndexFollower::Reason IndexFollower::why_incomplete(ports::Call& call) {
  const auto health = index_.health(call);
  if (health) return {"it was made with other settings; it answers meanwhile", {}};
  return {"it has no whole state", health.error().detail};
}

model::Result<IndexFollower::Outcome> IndexFollower::rebuild_since(ports::Call& call, const Turn& turn,
                                                                   const Reason& reason) {
  const auto rebuilt = apply(call, turn, Build::Rebuild, 0, reason);
  if (!rebuilt) return rebuilt.error().during("rebuild the index");
  return Outcome::Rebuilt;
}

model::Status IndexFollower::rebuild(ports::Call& call) {
  const auto turn = take_turn(call);
  if (!turn) return turn.error();
  const auto rebuilt = rebuild_since(call, *turn, {"it was asked for", {}});
  return rebuilt ? model::Status() : rebuilt.error();
}

model::Status IndexFollower::apply(ports::Call& call, const Turn& turn, Build build, model::Revision after,
                                   const Reason& reason) {
  auto writer = index_.begin(call, build, items_.store_id());
  if (!writer) return writer.error();
  if (build == Build::Rebuild && listener_.on_rebuild) listener_.on_rebuild(reason);
  Feeder feeder(call, **writer);
  model::Status failure;
  std::uint64_t records = 0;
  const auto up_to = items_.changes(call, after, [&](const ports::Change& change) {
    failure = feeder.take(change);
    if (listener_.on_progress && ++records % 1000 == 0) listener_.on_progress(records);
    return failure ? model::Visit::Continue : model::Visit::Stop;
  });
  if (!failure) return failure;
  if (!up_to) return up_to.error();
  if (auto flushed = feeder.flush(); !flushed) return flushed;
  if (turn != nullptr && !turn->lasts())
    return model::Error{model::ErrorCode::Unavailable,
                        "The turn to feed the search index ended before the batch did.",
                        "the storage did not renew the lease in time",
                        {},
                        {}};
  return (*writer)->commit(call, *up_to);
}

}  // namespace kbase::runtime
