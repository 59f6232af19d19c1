// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/activity_store_proxy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/plugin_host/row_sink.hpp"

namespace kbase::plugin_host {
namespace {

using sdk::number_of;
using sdk::view_of;

using ItemViewsSink = RowSink<ItemViewsReader, ports::ItemViews, const kb_view_count*>;
using DayViewsSink = RowSink<DayViewsReader, ports::DayViews, const kb_view_count*>;
using ViewIncrementSink = RowSink<ViewIncrementReader, ports::ViewIncrement, const kb_view_count*>;

kb_view_count count_of(const ports::ViewIncrement& increment) {
  return {view_of(increment.item), increment.views, number_of(increment.day), 0};
}

kb_view_count count_of(const ports::DayViews& day) {
  return {view_of({}), day.views, number_of(day.day), 0};
}

/// The two sinks of a snapshot, which share one `data`. See RowSink.
class SnapshotSink {
 public:
  SnapshotSink(CallFrame& frame, model::Visitor<ports::JournalMark> journals,
               model::Visitor<ports::ViewIncrement> counts) noexcept
      : frame_(frame), journals_(journals), counts_(counts) {
    frame.attach(*this, ViewIncrementSink::kNoBound);
  }

  static std::int32_t receive_journal(void* data, const kb_journal_mark* lent) noexcept {
    SnapshotSink* const self = CallFrame::sink_of<SnapshotSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    if (self->counts_begun_) return self->frame_.report_violation("lent a journal after the first count");
    return self->frame_.take_row(self->journal_reader_, self->mark_, self->journals_, lent);
  }

  static std::int32_t receive_count(void* data, const kb_view_count* lent) noexcept {
    SnapshotSink* const self = CallFrame::sink_of<SnapshotSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    self->counts_begun_ = true;
    return self->frame_.take_row(self->count_reader_, self->count_, self->counts_, lent);
  }

 private:
  CallFrame& frame_;
  model::Visitor<ports::JournalMark> journals_;
  model::Visitor<ports::ViewIncrement> counts_;
  JournalMarkReader journal_reader_;
  ViewIncrementReader count_reader_;
  ports::JournalMark mark_;
  ports::ViewIncrement count_;
  bool counts_begun_ = false;
};

template <class Row>
std::vector<kb_view_count> counts_of(std::span<const Row> rows) {
  std::vector<kb_view_count> counts;
  counts.reserve(rows.size());
  for (const Row& row : rows) counts.push_back(count_of(row));
  return counts;
}

}  // namespace

ActivityStoreProxy::ActivityStoreProxy(std::unique_ptr<ActivityStoreInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), store_(instance_->object()) {}

model::Status ActivityStoreProxy::add(ports::Call& call, const ports::JournalId& journal, std::uint64_t sequence,
                                      std::span<const ports::ViewIncrement> increments) {
  CallFrame frame = instance_->frame("activity_store.add", call);
  const auto counts = counts_of(increments);
  return frame.done(
      frame.run(table_.add, store_, frame.call(), journal.data(), sequence, counts.data(), counts.size()));
}

model::Status ActivityStoreProxy::set(ports::Call& call, std::string_view item, std::span<const ports::DayViews> days) {
  CallFrame frame = instance_->frame("activity_store.set", call);
  const auto counts = counts_of(days);
  return frame.done(frame.run(table_.set, store_, frame.call(), view_of(item), counts.data(), counts.size()));
}

model::Result<model::ViewsRevision> ActivityStoreProxy::revision(ports::Call& call) {
  CallFrame frame = instance_->frame("activity_store.revision", call);
  model::ViewsRevision revision = 0;
  const kb_status status = frame.run(table_.revision, store_, frame.call(), &revision);
  if (auto done = frame.done(status); !done) return done.error();
  return revision;
}

model::Result<model::ViewsRevision> ActivityStoreProxy::totals(ports::Call& call, model::ViewsRevision after,
                                                               model::Visitor<ports::ItemViews> visitor) {
  CallFrame frame = instance_->frame("activity_store.totals", call);
  ItemViewsSink sink(frame, visitor);
  model::ViewsRevision up_to = 0;
  const kb_status status = frame.run(table_.totals, store_, frame.call(), after, ItemViewsSink::receive, &sink, &up_to);
  if (auto visited = frame.visited(status); !visited) return visited.error();
  if (frame.stopped())
    return model::Error{model::ErrorCode::Cancelled, "the read of the totals was cancelled", {}, {}, {}};
  return up_to;
}

model::Status ActivityStoreProxy::top(ports::Call& call, model::Day first, model::Day last,
                                      model::Visitor<ports::ItemViews> visitor) {
  CallFrame frame = instance_->frame("activity_store.top", call);
  ItemViewsSink sink(frame, visitor);
  return frame.visited(
      frame.run(table_.top, store_, frame.call(), number_of(first), number_of(last), ItemViewsSink::receive, &sink));
}

model::Status ActivityStoreProxy::daily(ports::Call& call, model::Day first, model::Day last,
                                        model::Visitor<ports::DayViews> visitor) {
  CallFrame frame = instance_->frame("activity_store.daily", call);
  DayViewsSink sink(frame, visitor);
  return frame.visited(
      frame.run(table_.daily, store_, frame.call(), number_of(first), number_of(last), DayViewsSink::receive, &sink));
}

model::Status ActivityStoreProxy::days(ports::Call& call, model::Visitor<ports::ViewIncrement> visitor) {
  CallFrame frame = instance_->frame("activity_store.days", call);
  ViewIncrementSink sink(frame, visitor);
  return frame.visited(frame.run(table_.days, store_, frame.call(), ViewIncrementSink::receive, &sink));
}

model::Status ActivityStoreProxy::snapshot(ports::Call& call, model::Visitor<ports::JournalMark> journals,
                                           model::Visitor<ports::ViewIncrement> counts) {
  if (!KB_HAS(&table_, snapshot) || table_.snapshot == nullptr)
    return model::Error{
        model::ErrorCode::Unsupported, "the plugin that keeps the views does not tell its journals", {}, {}, {}};
  CallFrame frame = instance_->frame("activity_store.snapshot", call);
  SnapshotSink sink(frame, journals, counts);
  return frame.visited(frame.run(table_.snapshot, store_, frame.call(), SnapshotSink::receive_journal,
                                 SnapshotSink::receive_count, &sink));
}

}  // namespace kbase::plugin_host
