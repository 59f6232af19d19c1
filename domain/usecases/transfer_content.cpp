// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/transfer_content.hpp"

#include "domain/usecases/gathered_days.hpp"
#include "domain/usecases/import_content.hpp"

namespace kbase::usecases {

model::Status TransferContent::import(ports::Call& call, std::span<ports::ContentSource* const> sources,
                                      const ports::ImportOptions& options, ports::ImportObserver& observer,
                                      ports::ImportReport& report) {
  return ImportContent({items_, activity_, clock_, observer}, options, report).run(call, sources);
}

model::Status TransferContent::export_to(ports::Call& call, ports::ContentSink& sink) {
  model::Status failure;
  const auto go_on = [&](model::Status written) {
    failure = std::move(written);
    return failure ? model::Visit::Continue : model::Visit::Stop;
  };
  const auto content = items_.changes(call, 0, [&](const ports::Change& change) {
    return go_on(change.item != nullptr ? sink.put(*change.item) : sink.put(*change.category));
  });
  if (!failure) return failure;
  if (!content) return content.error();

  GatheredDays gathered([&](const ports::ActivityRecord& activity) { return sink.put(activity); });
  const auto activity = activity_.days(call, [&](const ports::ViewIncrement& row) { return go_on(gathered.add(row)); });
  if (!failure) return failure;
  if (!activity) return activity;
  if (auto written = gathered.finish(); !written) return written;
  return sink.finish();
}

model::Result<std::uint64_t> TransferContent::remove(ports::Call& call, std::span<const std::string_view> ids,
                                                     model::Visitor<std::string_view> visitor) {
  auto writer = items_.begin(call);
  if (!writer) return writer.error();
  std::uint64_t removed = 0;
  for (const std::string_view id : ids) {
    const auto existed = (*writer)->remove(call, id);
    if (!existed) return existed.error();
    if (*existed)
      ++removed;
    else if (visitor(id) == model::Visit::Stop)
      break;
  }
  if (removed == 0) return removed;
  const auto committed = (*writer)->commit(call);
  if (!committed) return committed.error();
  return removed;
}

}  // namespace kbase::usecases
