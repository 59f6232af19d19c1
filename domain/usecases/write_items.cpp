// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/write_items.hpp"

#include <string>

#include "domain/base/result.hpp"
#include "domain/usecases/import_batch.hpp"

namespace kbase::usecases {
namespace {

using ports::WriteOutcome;
using ports::WriteReport;

/// What a batch knows of a stored item.
struct Stored {
  std::optional<model::Revision> revision;  // nullopt: there is no such item
  std::string source;
};

Result<Stored> read_stored(ports::Call& call, ports::ItemWriter& writer, std::string_view id) {
  Stored stored;
  const std::string_view ids[] = {id};
  KBASE_TRY(writer.read(call, ids, [&stored](const model::ItemView& item) {
    stored.revision = item.revision;
    stored.source = item.source;
    return Visit::Continue;
  }));
  return stored;
}

}  // namespace

Result<WriteReport> WriteItems::put(ports::Call& call, const ports::ContentRecord& record, std::string_view base_url,
                                    ports::WriteCondition condition) {
  const auto& item = std::get<ports::ItemRecord>(record.record);
  SeenIds seen;
  std::string rejection;
  ImportBatch batch({items_, activity_, markup_, seen,
                     [&rejection](const ports::SourcePosition&, std::string_view reason, std::string_view) {
                       rejection = reason;
                       return Status();
                     }},
                    model::day_of(clock_.now()));
  seen.next_source();
  KBASE_TRY(batch.begin(call));
  const auto stored = KBASE_TRY(read_stored(call, batch.writer(), item.id));
  if (!condition(stored.revision)) return WriteReport{WriteOutcome::NotPermitted, 0};
  batch.set_source(stored.source.empty() ? kSource : std::string_view(stored.source), /*takes_over=*/false);
  batch.set_base_url(base_url);
  KBASE_TRY(batch.add(call, record, [](std::string_view) {}));
  KBASE_TRY(batch.flush(call));
  if (!rejection.empty()) return invalid_argument({}, rejection);
  const auto before = KBASE_TRY(items_.revision(call));  // the batch is the only one, so no other changes it
  KBASE_TRY(batch.commit(call));
  // If something was written, the item was written last, so the revision of the batch is its own.
  const model::Revision after = batch.changes().revision;
  if (after == before) return WriteReport{WriteOutcome::Unchanged, *stored.revision};
  return WriteReport{stored.revision ? WriteOutcome::Changed : WriteOutcome::Created, after};
}

Result<WriteReport> WriteItems::remove(ports::Call& call, std::string_view id, ports::WriteCondition condition) {
  const auto writer = KBASE_TRY(items_.begin(call));
  const auto stored = KBASE_TRY(read_stored(call, *writer, id));
  if (!condition(stored.revision)) return WriteReport{WriteOutcome::NotPermitted, 0};
  const auto was_there = KBASE_TRY(writer->remove(call, id));
  if (!was_there) return Error{ErrorCode::NotFound, "There is no such item."};
  KBASE_TRY(writer->commit(call));
  return WriteReport{WriteOutcome::Removed, 0};
}

}  // namespace kbase::usecases
