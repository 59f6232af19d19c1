// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/transfer_base.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "domain/base/result.hpp"
#include "domain/usecases/reports.hpp"
#include "domain/usecases/stored_synonyms.hpp"

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
    const auto synonyms = KBASE_TRY(read_synonyms(call_, base_.items));
    std::vector<std::string_view> words;
    for (const model::Synonyms& each : synonyms) KBASE_TRY(sink_.put(each.view(words)));
    const auto revision = KBASE_TRY(write_content());
    KBASE_TRY(check_synonyms(call_, base_.items, synonyms));
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
    KBASE_TRY(outcome(visited));
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

using Step = ports::BackupObserver::Step;

constexpr std::size_t kUsageRows = 1000;
/// Counts per call of ActivityStore::add. Never change this number: an interrupted restore that another version of the
/// program continues counts correctly only if both use the same one.
constexpr std::size_t kViewRows = 10'000;
constexpr std::size_t kItems = 500;
constexpr std::size_t kItemBytes = std::size_t{8} << 20;

constexpr std::string_view kRemedy =
    "; a backup can only be restored into an empty base: choose another data_dir or, on a shared server, another "
    "instance";

bool is_same(const model::ApiKey& a, const model::ApiKey& b) {
  return a.id == b.id && a.name == b.name && a.plan == b.plan && a.digest == b.digest &&
         a.previous_digest == b.previous_digest && a.previous_expires == b.previous_expires && a.expires == b.expires &&
         a.scopes == b.scopes && a.created == b.created && a.revoked == b.revoked && a.account == b.account &&
         a.suspended == b.suspended;
}

Status not_empty(std::string found) {
  return invalid_argument({}, "the base " + std::move(found) + std::string(kRemedy));
}

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

Result<ports::BackupSummary> RestoreBase::run(std::string_view from_instance) {
  auto checked = KBASE_TRY(check(from_instance));
  summary_ = checked;
  const auto opened = KBASE_TRY(open_());
  base_.emplace(opened);
  KBASE_TRY(check_content_is_empty());
  KBASE_TRY(check_keys());
  KBASE_TRY(check_views());
  KBASE_TRY(read_usage());
  KBASE_TRY(fill());
  return summary_;
}

/// First pass: verifies the backup. Keeps keys and categories in memory, as they are few: keys to compare them with the
/// base, categories because items may precede their category.
Result<ports::BackupSummary> RestoreBase::check(std::string_view from_instance) {
  records_ = 0;
  Status failure;
  auto read = source_.read(call_, [&](const ports::BackupRecord& record) {
    if (const auto* key = std::get_if<model::ApiKey>(&record)) keys_.emplace(key->id, *key);
    if (const auto* category = std::get_if<model::CategoryView>(&record)) categories_.emplace_back(*category);
    failure = report_progress(Step::Checking);
    return failure ? Visit::Continue : Visit::Stop;
  });
  if (!failure) return failure.error();
  if (!read) return read;
  const std::string& instance = read->head.instance;
  if (instance == instance_ || instance == from_instance) return read;
  return invalid_argument("instance", std::string(source_.name()) + ": is a backup of the instance '" + instance +
                                          "', but this base is '" + std::string(instance_) + "'");
}

Status RestoreBase::check_content_is_empty() {
  const auto totals = KBASE_TRY(base_->items.totals(call_, model::day_of(base_->clock.now())));
  const auto synonyms = KBASE_TRY(read_synonyms(call_, base_->items));
  if (totals.items == 0 && totals.categories == 0 && synonyms.empty()) return {};
  if (totals.items == 0 && totals.categories == 0)
    return not_empty("has " + std::to_string(synonyms.size()) + " synonyms");
  return not_empty("has " + std::to_string(totals.items) + " items and " + std::to_string(totals.categories) +
                   " categories");
}

/// Accepts keys that equal those of this backup: an interrupted restore created them.
Status RestoreBase::check_keys() {
  std::string conflicting;
  const auto visited = base_->keys.list(call_, [&](const model::ApiKey& key) {
    const auto ours = keys_.find(key.id);
    if (ours != keys_.end() && is_same(ours->second, key)) return Visit::Continue;
    conflicting = key.id;
    return Visit::Stop;
  });
  if (!visited) return visited;
  if (conflicting.empty()) return {};
  return not_empty("has the key " + conflicting + ", which differs from this backup");
}

Status RestoreBase::check_views() {
  bool is_ours = false, has_counts = false, has_journals = true;
  const auto on_count = [&](const ports::ViewIncrement&) {
    has_counts = true;
    return Visit::Stop;
  };
  auto visited = base_->activity.snapshot(
      call_,
      [&](const ports::JournalMark& mark) {
        is_ours = is_ours || mark.journal == own_journal();
        return Visit::Continue;
      },
      on_count);
  if (!visited && visited.error().code == ErrorCode::Unsupported) {
    has_journals = false;
    visited = base_->activity.days(call_, on_count);
  }
  if (!visited) return visited;
  if (is_ours || !has_counts) return {};
  if (has_journals) return not_empty("has counted views");
  return not_empty(
      "has counted views, and its storage cannot report whether an interrupted restore wrote them; if one did, delete "
      "the data of this base and restore again");
}

Status RestoreBase::read_usage() {
  const auto visited = base_->keys.usage(call_, kFirstDay, kLastDay, [&](const ports::KeyUsage& usage) {
    usage_before_[{std::string(usage.id), usage.day}] = usage.requests;
    return Visit::Continue;
  });
  if (visited || visited.error().code != ErrorCode::Unsupported) return visited;
  stores_usage_ = false;
  if (summary_.counts.usage != 0)
    observer_.on_omission("the storage does not record key usage, so the key usage of the backup is not restored");
  return {};
}

/// Second pass: writes the data. Commits the content only if this pass read the same records as the first.
Status RestoreBase::fill() {
  records_ = 0;
  Status failure;
  const auto read = source_.read(call_, [&](const ports::BackupRecord& record) {
    failure = restore_record(record);
    if (failure) failure = report_progress(Step::Restoring);
    return failure ? Visit::Continue : Visit::Stop;
  });
  if (!failure) return failure;
  if (!read) return read.error();
  if (read->sha256 != summary_.sha256)
    return invalid_argument({}, std::string(source_.name()) +
                                    ": was replaced during the restore; no content was restored; repeat the restore");
  KBASE_TRY(flush_state());
  if (!writer_) KBASE_TRY(begin_content());
  KBASE_TRY(flush_items());
  KBASE_TRY(restore_synonyms());
  KBASE_TRY(writer_->commit(call_));
  return {};
}

Status RestoreBase::restore_record(const ports::BackupRecord& record) {
  return std::visit([this](const auto& one) { return restore_record(one); }, record);
}

Status RestoreBase::restore_record(const model::ApiKey& key) {
  const auto known = KBASE_TRY(base_->keys.get(call_, key.id));
  if (known && is_same(*known, key)) return {};
  return base_->keys.create(call_, key);
}

Status RestoreBase::restore_record(const ports::KeyUsage& usage) {
  if (!stores_usage_) return {};
  UsageRow row{std::string(usage.id), usage.day, usage.requests};
  if (const auto before = usage_before_.find({row.key, row.day}); before != usage_before_.end())
    row.requests -= std::min(row.requests, before->second);
  usage_.push_back(std::move(row));
  return usage_.size() < kUsageRows ? Status() : flush_usage();
}

Status RestoreBase::restore_record(const ports::JournalMark& mark) {
  return base_->activity.add(call_, mark.journal, mark.sequence, {});
}

Status RestoreBase::restore_record(const ports::ActivityRecord& activity) {
  for (const ports::DayViews& day : activity.days) views_.push_back({std::string(activity.item), day.day, day.views});
  return views_.size() < kViewRows ? Status() : flush_views();
}

Status RestoreBase::restore_record(const model::ItemView& item) {
  if (!writer_) KBASE_TRY(begin_content());
  if (!document_) document_.emplace(base_->markup);
  document_->make(item);
  const model::ItemView& whole = document_->stored();
  items_.emplace_back(base_->items.capabilities().describes ? whole : model::without_description(whole));
  item_bytes_ += item.content.size();
  return items_.size() < kItems && item_bytes_ < kItemBytes ? Status() : flush_items();
}

Status RestoreBase::restore_record(const model::SynonymsView& synonyms) {
  synonyms_.emplace_back(synonyms);
  return {};
}

Status RestoreBase::restore_synonyms() {
  if (synonyms_.empty()) return {};
  if (!base_->items.capabilities().synonyms) {
    observer_.on_omission("the storage keeps no synonyms, so those of the backup are not restored");
    return {};
  }
  return write_synonyms(call_, *writer_, synonyms_);
}

Status RestoreBase::flush_usage() {
  if (usage_.empty()) return {};
  std::vector<ports::KeyUsage> rows;
  rows.reserve(usage_.size());
  for (const UsageRow& row : usage_) rows.push_back({row.key, row.day, row.requests});
  auto added = base_->keys.add_usage(call_, rows);
  usage_.clear();
  return added;
}

Status RestoreBase::flush_views() {
  if (views_.empty()) return {};
  std::vector<ports::ViewIncrement> rows;
  rows.reserve(views_.size());
  for (const ViewRow& row : views_) rows.push_back({row.item, row.day, row.views});
  view_rows_ += rows.size();
  auto added = base_->activity.add(call_, own_journal(), view_rows_, rows);
  views_.clear();
  return added;
}

Status RestoreBase::flush_state() {
  KBASE_TRY(flush_usage());
  return flush_views();
}

/// From here on no other process can write content. Checks again, as content may have been written since the first
/// check.
Status RestoreBase::begin_content() {
  KBASE_TRY(flush_state());
  auto writer = KBASE_TRY(base_->items.begin(call_));
  writer_ = std::move(writer);
  KBASE_TRY(check_content_is_empty());
  for (const model::Category& category : categories_) KBASE_TRY(writer_->put_category(call_, category.view()));
  return {};
}

Status RestoreBase::flush_items() {
  std::vector<const model::ItemView*> views;
  views.reserve(items_.size());
  for (const model::Item& item : items_) views.push_back(&item.view());
  auto put = views.empty() ? Status() : writer_->put(call_, views);
  items_.clear();
  item_bytes_ = 0;
  return put;
}

Status RestoreBase::report_progress(Step step) {
  if (call_.cancelled())
    return Error{ErrorCode::Cancelled,
                 "the restore was interrupted; the base has no content yet; repeat the restore to continue it"};
  if (++records_ % kProgressEvery == 0) observer_.on_progress(step, source_.progress(), records_);
  return {};
}

/// Unique to this backup, and equal for each attempt to restore it.
ports::JournalId RestoreBase::own_journal() const {
  ports::JournalId journal;
  std::copy_n(summary_.sha256.begin(), journal.size(), journal.begin());
  return journal;
}

}  // namespace kbase::usecases
