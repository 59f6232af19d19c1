// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/import_content.hpp"

#include <string>
#include <vector>

namespace kbase::usecases {
namespace {

constexpr std::uint64_t kSkipBatchRecords = 1000;
constexpr std::uint64_t kProgressEvery = 1000;

std::string text_of(const ports::Place& place) {
  std::string text(place.file);
  if (place.line != 0) text += ':' + std::to_string(place.line);
  return text;
}

void add(ports::ImportReport& sum, const ports::ImportReport& batch) {
  sum.added += batch.added;
  sum.changed += batch.changed;
  sum.unchanged += batch.unchanged;
  sum.removed += batch.removed;
  sum.categories += batch.categories;
  sum.activity += batch.activity;
  sum.revision = batch.revision;
}

}  // namespace

/// With --prune or --dry-run, all sources form one batch. A prune can fail and must then change nothing; a dry run
/// stores no source that the next one could be compared with.
model::Status ImportContent::run(ports::Call& call, std::span<ports::ContentSource* const> sources) {
  for (ports::ContentSource* source : sources) {
    met_.next_source(options_.prune);
    if (!batch_)
      if (auto opened = open_batch(call); !opened) return opened;
    if (auto imported = import_source(call, *source); !imported) return imported;
    if (auto ended = is_one_batch() ? batch_->flush(call) : close_batch(call); !ended) return ended;
  }
  if (!batch_) return {};
  if (options_.prune && report_.rejected == 0)
    if (auto pruned = prune(call); !pruned) return pruned;
  return close_batch(call);
}

model::Status ImportContent::import_source(ports::Call& call, ports::ContentSource& source) {
  records_in_source_ = 0;
  model::Status failure;
  const auto read = source.read(call, [&](const ports::ContentRecord& record) {
    failure = acquire(call, source, record);
    return failure ? model::Visit::Continue : model::Visit::Stop;
  });
  if (!failure) return failure;
  parts_.observer.on_progress(source, records_in_source_);
  if (read && records_in_source_ == 0) parts_.observer.on_nothing(source);
  if (read || options_.on_error == ports::OnError::Stop || read.error().code != model::ErrorCode::InvalidArgument)
    return read;
  return reject({source.name(), 0}, {read.error().message, {}});
}

model::Status ImportContent::acquire(ports::Call& call, ports::ContentSource& source,
                                     const ports::ContentRecord& record) {
  if (call.cancelled()) return model::Error{model::ErrorCode::Cancelled, "the import was interrupted", {}, {}, {}};
  if (++records_in_source_ % kProgressEvery == 0) parts_.observer.on_progress(source, records_in_source_);
  if (!record.unknown.passed_over.empty() || !record.unknown.kept.empty()) parts_.observer.on_unknown(record);
  if (const auto* bad = std::get_if<ports::Reject>(&record.record)) return reject(record.place, *bad);
  const auto on_duplicate = [&](std::string_view id) { parts_.observer.on_duplicate(record.place, id); };
  if (auto added = batch_->add(call, record, on_duplicate); !added) return added;
  const bool small_batches = options_.on_error == ports::OnError::Skip && !is_one_batch();
  if (++records_in_batch_ < kSkipBatchRecords || !small_batches) return {};
  if (auto closed = close_batch(call); !closed) return closed;
  return open_batch(call);
}

model::Status ImportContent::reject(const ports::Place& place, const ports::Reject& reject) {
  ++report_.rejected;
  if (options_.on_error == ports::OnError::Stop)
    return model::invalid_argument({}, text_of(place) + ": " + std::string(reject.reason));
  parts_.observer.on_reject(place, reject);
  return {};
}

/// Removes the records that existed before the import and that no source contains. The batch holds the writer, so no
/// other process can change the state that the feed returns.
model::Status ImportContent::prune(ports::Call& call) {
  std::vector<std::string> items, categories;
  std::uint64_t existing = 0;
  const auto read = parts_.items.changes(call, 0, [&](const ports::Change& change) {
    if (change.kind == ports::Change::Kind::ItemPut) {
      ++existing;
      if (!met_.has_item(change.id)) items.emplace_back(change.id);
    } else if (change.kind == ports::Change::Kind::CategoryPut && !met_.has_category(change.id)) {
      categories.emplace_back(change.id);
    }
    return model::Visit::Continue;
  });
  if (!read) return read.error();
  if (auto within = check_prune_limit(items.size(), existing); !within) return within;
  for (const std::string& id : items)
    if (auto removed = batch_->remove_item(call, id); !removed) return removed;
  for (const std::string& id : categories)
    if (auto removed = batch_->remove_category(call, id); !removed) return removed;
  return {};
}

model::Status ImportContent::check_prune_limit(std::uint64_t removed, std::uint64_t existing) const {
  if (removed * 100 <= existing * options_.prune_limit_percent) return {};
  return model::invalid_argument("prune-limit", "--prune would remove " + std::to_string(removed) + " of " +
                                                    std::to_string(existing) + " items, more than the " +
                                                    std::to_string(options_.prune_limit_percent) +
                                                    "% it may; nothing was changed (--prune-limit 100% allows it)");
}

model::Status ImportContent::open_batch(ports::Call& call) {
  batch_.emplace(parts_.items, parts_.activity, met_, model::day_of(parts_.clock.now()));
  records_in_batch_ = 0;
  return batch_->begin(call);
}

model::Status ImportContent::close_batch(ports::Call& call) {
  auto closed = options_.dry_run ? batch_->flush(call) : batch_->commit(call);
  if (closed) {
    // Include the committed changes in the report even if storing their activity fails.
    if (!options_.dry_run) closed = batch_->set_activity(call);
    add(report_, batch_->changes());
  }
  batch_.reset();
  if (closed && !options_.dry_run) parts_.observer.on_batch(report_);
  return closed;
}

}  // namespace kbase::usecases
