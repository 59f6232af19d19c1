// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/item_document.hpp"

#include <algorithm>

#include "domain/base/text.hpp"

namespace kbase::usecases {

model::Format format_of(const model::ItemView& item) {
  return model::parse_format(item.format).value_or(model::Format::Markdown);
}

void ItemDocument::make(const model::ItemView& item) {
  document_ = markup_.document(item.content, format_of(item));
  remove_title(item.title);
  prepend(item.summary);
  section_texts_.clear();
  for (const model::Section& section : document_.sections) section_texts_.push_back(model::encode_section(section));
  sections_.assign(section_texts_.begin(), section_texts_.end());
  content_ = item.content;
  indexed_ = item;
  indexed_.sections = sections_;
  indexed_.content = document_.text;
}

model::ItemView ItemDocument::stored() {
  excerpt_ = model::excerpt_of(document_.text);
  model::ItemView item = indexed_;
  item.content = content_;
  item.excerpt = excerpt_;
  return item;
}

void ItemDocument::remove_title(std::string_view title) {
  std::string& text = document_.text;
  if (title.empty() || document_.heading != title || !text.starts_with(title)) return;
  std::size_t end = title.size();
  while (end < text.size() && text[end] == '\n') ++end;
  if (end == title.size() && end != text.size()) return;
  text.erase(0, end);
  for (model::Section& section : document_.sections) section.begin -= std::min(section.begin, end);
}

void ItemDocument::prepend(std::string_view summary) {
  summary = utf8::trimmed(summary);
  std::string& text = document_.text;
  if (summary.empty() || text.starts_with(summary)) return;
  const std::size_t before = summary.size() + 1;
  text.insert(0, "\n").insert(0, summary);
  for (model::Section& section : document_.sections) section.begin += before;
}

}  // namespace kbase::usecases
