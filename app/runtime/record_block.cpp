// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/record_block.hpp"

#include <algorithm>
#include <memory>

namespace kbase::runtime {

void RecordBlock::add(const ports::ContentRecord& record) {
  ports::ContentRecord copy = record;
  copy.place.file = keep(record.place.file);
  if (auto* item = std::get_if<ports::ItemRecord>(&copy.record)) {
    for (std::string_view* text :
         {&item->id, &item->title, &item->category, &item->content, &item->author, &item->extra})
      *text = keep(*text);
    item->tags = keep_texts(item->tags);
    item->related = keep_texts(item->related);
  } else if (auto* category = std::get_if<ports::CategoryRecord>(&copy.record)) {
    for (std::string_view* text : {&category->id, &category->name, &category->description, &category->icon})
      *text = keep(*text);
    category->subcategories = keep_texts(category->subcategories);
  } else if (auto* gone = std::get_if<ports::DeleteRecord>(&copy.record)) {
    gone->id = keep(gone->id);
  } else if (auto* activity = std::get_if<ports::ActivityRecord>(&copy.record)) {
    activity->item = keep(activity->item);
    activity->days = keep(activity->days);
  } else if (auto* reject = std::get_if<ports::Reject>(&copy.record)) {
    reject->reason = keep(reject->reason);
    reject->text = keep(reject->text);
  }
  copy.unknown = {keep_texts(record.unknown.passed_over), keep_texts(record.unknown.kept)};
  records_.push_back(copy);
}

std::string_view RecordBlock::keep(std::string_view text) {
  const auto kept = keep(std::span<const char>(text));
  return {kept.data(), kept.size()};
}

template <class Entry>
std::span<const Entry> RecordBlock::keep(std::span<const Entry> entries) {
  if (entries.empty()) return {};
  auto* memory = static_cast<Entry*>(memory_.allocate(entries.size_bytes(), alignof(Entry)));
  std::uninitialized_copy(entries.begin(), entries.end(), memory);
  bytes_ += entries.size_bytes();
  return {memory, entries.size()};
}

model::TextList RecordBlock::keep_texts(model::TextList texts) {
  std::vector<std::string_view> kept;
  for (const std::string_view text : texts) kept.push_back(keep(text));
  return keep(model::TextList(kept));
}

}  // namespace kbase::runtime
