// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/transfer_base.hpp"

#include <algorithm>

#include "domain/base/result.hpp"
#include "domain/usecases/daily_views_grouper.hpp"
#include "domain/usecases/restore_base.hpp"

namespace kbase::usecases {
namespace {

constexpr std::uint64_t kProgressEvery = 1000;
constexpr model::Day kFirstDay{std::chrono::year(0) / 1 / 1};
constexpr model::Day kLastDay{std::chrono::year(9999) / 12 / 31};

/// One run of a backup. Writes server state first and content last, see BackupRecord.
class BackUp {
 public:
  BackUp(const KnowledgeBase& base, ports::Call& call, ports::BackupSink& sink, ports::BackupObserver& observer)
      : base_(base), call_(call), sink_(sink), observer_(observer) {}

  Result<ports::BackupSummary> run() {
    const auto totals = KBASE_TRY(base_.items.totals(call_, model::day_of(base_.clock.now())));
    expected_ = totals.items + totals.categories;
    KBASE_TRY(sink_.begin({std::string(base_.instance), base_.items.store_id(), base_.clock.now()}));
    KBASE_TRY(write_keys());
    KBASE_TRY(write_usage());
    KBASE_TRY(write_views());
    const auto revision = KBASE_TRY(write_content());
    return sink_.finish(revision);
  }

 private:
  /// Records the result of writing a record. The first failure ends the visit.
  Visit visit_result(Status written) {
    if (call_.cancelled() && written)
      written = Error{ErrorCode::Cancelled, "the backup was interrupted; no file was written"};
    failure_ = std::move(written);
    return failure_ ? Visit::Continue : Visit::Stop;
  }

  /// The outcome of a visiting call. A write failure takes precedence over the store's result.
  Status outcome(const Status& visited) { return failure_ ? visited : failure_; }

  Status write_keys() {
    return outcome(base_.keys.list(call_, [&](const model::ApiKey& key) { return visit_result(sink_.put(key)); }));
  }

  Status write_usage() {
    const auto visited = base_.keys.usage(call_, kFirstDay, kLastDay,
                                          [&](const ports::KeyUsage& usage) { return visit_result(sink_.put(usage)); });
    if (visited || visited.error().code != ErrorCode::Unsupported) return outcome(visited);
    observer_.on_omission("the storage does not record key usage, so the backup contains none");
    return {};
  }

  Status write_views() {
    DailyViewsGrouper grouper([&](const ports::ActivityRecord& record) { return sink_.put(record); });
    const auto put_count = [&](const ports::ViewIncrement& row) { return visit_result(grouper.add(row)); };
    auto visited = base_.activity.snapshot(
        call_, [&](const ports::JournalMark& mark) { return visit_result(sink_.put(mark)); }, put_count);
    if (!visited && visited.error().code == ErrorCode::Unsupported) {
      observer_.on_omission(
          "the storage cannot report its journals; views that a server submits again after a restore may be counted "
          "twice");
      visited = base_.activity.days(call_, put_count);
    }
    if (auto written = outcome(visited); !written) return written;
    return grouper.finish();
  }

  Result<model::Revision> write_content() {
    std::uint64_t records = 0;
    const auto up_to = base_.items.changes(call_, 0, [&](const ports::Change& change) {
      if (++records % kProgressEvery == 0) report_progress(records);
      return visit_result(write(change));
    });
    if (!failure_) return failure_.error();
    return up_to;
  }

  Status write(const ports::Change& change) {
    using Kind = ports::Change::Kind;
    switch (change.kind) {
      case Kind::ItemPut: return sink_.put(*change.item);
      case Kind::CategoryPut: return sink_.put(*change.category);
      case Kind::ItemRemoved:
      case Kind::CategoryRemoved: break;  // a backup contains no removed records
    }
    return {};
  }

  void report_progress(std::uint64_t records) {
    const double fraction = static_cast<double>(records) / static_cast<double>(std::max<std::uint64_t>(expected_, 1));
    observer_.on_progress(ports::BackupObserver::Step::Writing, fraction, records);
  }

  const KnowledgeBase& base_;
  ports::Call& call_;
  ports::BackupSink& sink_;
  ports::BackupObserver& observer_;
  std::uint64_t expected_ = 0;  // number of content records
  Status failure_;
};

}  // namespace

Result<ports::BackupSummary> TransferBase::back_up(ports::Call& call, ports::BackupSink& sink,
                                                   ports::BackupObserver& observer) {
  const auto base = KBASE_TRY(open_());
  return BackUp(base, call, sink, observer).run();
}

Result<ports::BackupSummary> TransferBase::restore(ports::Call& call, ports::BackupSource& source,
                                                   std::string_view from_instance, ports::BackupObserver& observer) {
  return RestoreBase(instance_, open_, call, source, observer).run(from_instance);
}

}  // namespace kbase::usecases
