// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/transfer_content.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "domain/base/result.hpp"
#include "domain/usecases/import_batch.hpp"
#include "domain/usecases/reports.hpp"
#include "domain/usecases/stored_synonyms.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driving/content_transfer.hpp"

namespace kbase::usecases {
namespace {

constexpr std::uint64_t kSkipBatchRecords = 1000;
constexpr std::uint64_t kProgressEvery = 1000;

void add(ports::ImportReport& sum, const ports::ImportReport& batch) {
  sum.added += batch.added;
  sum.changed += batch.changed;
  sum.unchanged += batch.unchanged;
  sum.removed += batch.removed;
  sum.categories += batch.categories;
  sum.activity += batch.activity;
  sum.synonyms += batch.synonyms;
  sum.revision = batch.revision;
}

/// One run of an import: splits records into batches, handles bad records, and prunes at the end.
class ImportRun {
 public:
  /// All must outlive the object.
  struct Dependencies {
    ports::ItemStore& items;
    ports::ActivityStore& activity;
    const ports::Markup& markup;
    const ports::Clock& clock;
    ports::ImportObserver& observer;
  };
  ImportRun(const Dependencies& deps, const ports::ImportOptions& options, ports::ImportReport& report)
      : deps_(deps), options_(options), report_(report) {}

  /// A prune or a dry run imports all sources in one batch. A prune can fail and must then change nothing; a dry run
  /// stores no source that the next one could be compared with.
  Status run(ports::Call& call, std::span<ports::ContentSource* const> sources) {
    const auto before = KBASE_TRY(deps_.items.revision(call));
    had_content_ = before != 0;
    for (ports::ContentSource* source : sources) {
      seen_.next_source();
      set_source(options_.source.empty() ? source->owner() : std::string_view(options_.source));
      if (!batch_) KBASE_TRY(open_batch(call));
      batch_->set_source(source_, options_.take_over);
      KBASE_TRY(import_source(call, *source));
      KBASE_TRY(is_one_batch() ? batch_->flush(call) : close_batch(call));
    }
    if (batch_) {
      if (options_.prune && report_.rejected == 0 && !report_.is_incomplete) KBASE_TRY(prune(call));
      KBASE_TRY(close_batch(call));
    }
    // The import is stored, so a count that fails is no failure of the import.
    if (!options_.prune && had_content_ && !report_.is_incomplete) static_cast<void>(count_missing(call));
    return {};
  }

 private:
  bool is_one_batch() const { return options_.one_batch || options_.prune || options_.dry_run; }
  Status import_source(ports::Call& call, ports::ContentSource& source) {
    records_in_source_ = 0;
    Status failure;
    const auto read = source.read(call, [&](const ports::ContentRecord& record) {
      failure = import_record(call, source, record);
      return failure ? Visit::Continue : Visit::Stop;
    });
    if (!failure) return failure;
    report_.is_incomplete = report_.is_incomplete || source.notes().is_incomplete;
    deps_.observer.on_progress(source, records_in_source_);
    if (read && records_in_source_ == 0) deps_.observer.on_nothing(source);
    if (read || options_.on_error == ports::OnError::Stop || read.error().code != ErrorCode::InvalidArgument)
      return read;
    return reject({source.name(), 0}, read.error().message, {});
  }
  Status import_record(ports::Call& call, ports::ContentSource& source, const ports::ContentRecord& record) {
    if (call.cancelled()) return Error{ErrorCode::Cancelled, "the import was interrupted"};
    if (++records_in_source_ % kProgressEvery == 0) deps_.observer.on_progress(source, records_in_source_);
    if (!record.unknown.ignored.empty() || !record.unknown.stored.empty() || !record.ignored.empty())
      deps_.observer.on_unknown(record);
    if (const auto* item = std::get_if<ports::ItemRecord>(&record.record); item != nullptr && !item->source.empty())
      owners_.emplace(item->source);
    if (const auto* synonyms = std::get_if<model::SynonymsView>(&record.record);
        synonyms != nullptr && !synonyms->source.empty())
      owners_.emplace(synonyms->source);
    if (const auto* bad = std::get_if<ports::Reject>(&record.record))
      return reject(record.position, bad->reason, record.text);
    const auto on_duplicate = [&](std::string_view id) { deps_.observer.on_duplicate(record.position, id); };
    KBASE_TRY(batch_->add(call, record, on_duplicate));
    const bool small_batches = options_.on_error == ports::OnError::Skip && !is_one_batch();
    if (++records_in_batch_ < kSkipBatchRecords || !small_batches) return {};
    KBASE_TRY(close_batch(call));
    return open_batch(call);
  }
  Status reject(const ports::SourcePosition& position, std::string_view reason, std::string_view text) {
    ++report_.rejected;
    if (options_.on_error == ports::OnError::Stop)
      return invalid_argument({}, text_of(position) + ": " + std::string(reason));
    deps_.observer.on_reject(position, reason, text);
    return {};
  }
  void set_source(std::string_view name) {
    source_ = name;
    owners_.insert(source_);
  }

  /// What the store has besides the records of this run.
  struct Rest {
    std::vector<std::string> owned;                   ///< items of the sources of this run
    std::vector<std::string> unowned;                 ///< items that no source owns: kbase 1.0 stored them
    std::vector<std::string> categories;              ///< categories that no source of this run names
    std::unordered_set<std::string> used_categories;  ///< those of the other items, and those below named categories
    std::uint64_t existing = 0;
    bool has_others = false;  ///< there are items of other sources
  };
  Result<Rest> read_rest(ports::Call& call) const {
    Rest rest;
    const auto read = deps_.items.changes(call, 0, [&](const ports::Change& change) {
      if (change.kind == ports::Change::Kind::ItemPut) {
        ++rest.existing;
        const std::string source(change.item->source);
        const bool is_owned = owners_.contains(source);
        rest.has_others = rest.has_others || (!is_owned && !source.empty());
        if (seen_.has_item(change.id)) return Visit::Continue;
        if (is_owned)
          rest.owned.emplace_back(change.id);
        else if (source.empty())
          rest.unowned.emplace_back(change.id);
        else
          rest.used_categories.emplace(change.item->category);
      } else if (change.kind == ports::Change::Kind::CategoryPut && !seen_.has_category(change.id)) {
        rest.categories.emplace_back(change.id);
      }
      return Visit::Continue;
    });
    if (!read) return read.error();
    return rest;
  }

  /// Removes what the sources of this run brought before and no longer contain. The batch holds the writer, so no other
  /// process can change the state that the feed returns. Items that no source owns are removed if there are no items of
  /// other sources, because then they can only come from these.
  Status prune(ports::Call& call) {
    auto rest = KBASE_TRY(read_rest(call));
    if (!rest.has_others) {
      rest.owned.insert(rest.owned.end(), rest.unowned.begin(), rest.unowned.end());
      rest.unowned.clear();
    }
    KBASE_TRY(check_prune_limit(rest.owned.size(), rest.existing));
    for (const std::string& id : rest.owned) KBASE_TRY(batch_->remove_item(call, id));
    KBASE_TRY(batch_->prune_synonyms(call, owners_));
    if (!rest.unowned.empty()) return {};  // their categories are not known
    for (const std::string& id : rest.categories)
      if (!rest.used_categories.contains(id)) KBASE_TRY(batch_->remove_category(call, id));
    return {};
  }

  /// Skips the read of the whole store, which takes long, if the store has as many items as this run has seen.
  Status count_missing(ports::Call& call) {
    const auto totals = KBASE_TRY(deps_.items.totals(call, model::day_of(deps_.clock.now())));
    const std::uint64_t stored = seen_.items() - (options_.dry_run ? std::min(report_.added, seen_.items()) : 0);
    if (totals.items == stored) return {};
    const auto rest = KBASE_TRY(read_rest(call));
    report_.missing = rest.owned.size() + (rest.has_others ? 0 : rest.unowned.size());
    return {};
  }
  Status open_batch(ports::Call& call) {
    batch_.emplace(ImportBatch::Dependencies{deps_.items, deps_.activity, deps_.markup, seen_,
                                             [this](const ports::SourcePosition& position, std::string_view reason,
                                                    std::string_view text) { return reject(position, reason, text); }},
                   model::day_of(deps_.clock.now()));
    batch_->set_source(source_, options_.take_over);
    batch_->set_base_url(options_.base_url);
    records_in_batch_ = 0;
    return batch_->begin(call);
  }
  Status close_batch(ports::Call& call) {
    auto closed = options_.dry_run ? batch_->flush(call) : batch_->commit(call);
    if (closed) {
      // Include the committed changes in the report even if storing their activity fails.
      if (!options_.dry_run) closed = batch_->set_activity(call);
      add(report_, batch_->changes());
    }
    batch_.reset();
    if (closed && !options_.dry_run) deps_.observer.on_batch(report_);
    return closed;
  }
  Status check_prune_limit(std::uint64_t removed, std::uint64_t existing) const {
    // Such as a pipe whose first command failed.
    if (seen_.items() == 0 && removed > 0 && options_.prune_limit_percent < 100)
      return invalid_argument("prune_limit", "the import has no item and would remove all " + std::to_string(removed) +
                                                 " items of its source; if that is wanted, allow it with a limit of "
                                                 "100%; nothing was changed");
    if (removed * 100 <= existing * options_.prune_limit_percent) return {};
    return invalid_argument("prune_limit", "the import would remove " + std::to_string(removed) + " of " +
                                               std::to_string(existing) + " items, more than the limit of " +
                                               std::to_string(options_.prune_limit_percent) + "%; nothing was changed");
  }

  Dependencies deps_;
  const ports::ImportOptions& options_;
  ports::ImportReport& report_;
  SeenIds seen_;
  std::string source_;                      // name of the current source
  std::unordered_set<std::string> owners_;  // sources of this run
  bool had_content_ = false;                // the store was not empty before
  std::optional<ImportBatch> batch_;
  std::uint64_t records_in_batch_ = 0;
  std::uint64_t records_in_source_ = 0;
};

}  // namespace

std::string text_of(const ports::SourcePosition& position) {
  std::string text(position.file);
  if (position.line != 0) text += ':' + std::to_string(position.line);
  return text;
}

Status TransferContent::import(ports::Call& call, std::span<ports::ContentSource* const> sources,
                               const ports::ImportOptions& options, ports::ImportObserver& observer,
                               ports::ImportReport& report) {
  return ImportRun({items_, activity_, markup_, clock_, observer}, options, report).run(call, sources);
}

Status TransferContent::export_to(ports::Call& call, ports::ContentSink& sink) {
  Status failure;
  const auto visit_result = [&](Status written) {
    failure = std::move(written);
    return failure ? Visit::Continue : Visit::Stop;
  };
  const auto synonyms = KBASE_TRY(read_synonyms(call, items_));
  std::vector<std::string_view> words;
  for (const model::Synonyms& each : synonyms) KBASE_TRY(sink.put(each.view(words)));
  const auto content = items_.changes(call, 0, [&](const ports::Change& change) {
    return visit_result(change.item != nullptr ? sink.put(*change.item) : sink.put(*change.category));
  });
  if (!failure) return failure;
  if (!content) return content.error();
  KBASE_TRY(check_synonyms(call, items_, synonyms));

  DailyViewsGrouper grouper([&](const ports::ActivityRecord& activity) { return sink.put(activity); });
  const auto activity =
      activity_.days(call, [&](const ports::ViewIncrement& row) { return visit_result(grouper.add(row)); });
  if (!failure) return failure;
  if (!activity) return activity;
  KBASE_TRY(grouper.finish());
  return sink.finish();
}

Result<std::uint64_t> TransferContent::remove(ports::Call& call, std::span<const std::string_view> ids,
                                              Visitor<std::string_view> visitor) {
  auto writer = KBASE_TRY(items_.begin(call));
  std::uint64_t removed = 0;
  for (const std::string_view id : ids) {
    const auto existed = KBASE_TRY(writer->remove(call, id));
    if (existed)
      ++removed;
    else if (visitor(id) == Visit::Stop)
      break;
  }
  if (removed == 0) return removed;
  KBASE_TRY(writer->commit(call));
  return removed;
}

}  // namespace kbase::usecases
