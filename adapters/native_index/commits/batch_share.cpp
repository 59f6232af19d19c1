// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/commits/batch_share.hpp"

#include <utility>

namespace kbase::native_index {

void BatchShare::put(const model::ItemView& item) {
  take_out(item.id);
  builder_.add(item, language_ ? *language_ : text::detect_language(item.title, item.content));
}

void BatchShare::remove(std::string_view id) {
  take_out(id);
  builder_.remove(id);
}

/// Deletes the item from the segments already written.
void BatchShare::take_out(std::string_view id) {
  for (BatchSegment& each : segments_)
    if (const auto document = each.segment->columns().ids().find(id)) each.deleted.insert(*document);
}

model::Status BatchShare::write(float pivot) {
  if (builder_.documents() == 0) return {};
  auto created = folder_.create_segment();
  if (!created) return created.error();
  const std::uint64_t number = created->number;
  auto written = builder_.write(created->file, ImpactScale(pivot));
  if (written) written = created->file.finish();
  if (!written) return written;
  auto segment = folder_.open_segment(number);
  if (!segment) {
    folder_.remove_segment(number);
    return segment.error();
  }
  DocumentSet none((*segment)->documents());
  segments_.push_back({number, *std::move(segment), std::move(none)});
  return {};
}

}  // namespace kbase::native_index
