// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/hit_rows.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "domain/base/text.hpp"
#include "ports/driving/search.hpp"

namespace kbase::usecases {

Visit HitRows::add(const ports::SearchHit& hit) {
  Row& row = rows_.emplace_back();
  row.id = hit.id;
  row.title = hit.title;
  row.category = hit.category;
  row.excerpt = hit.excerpt;
  row.title_highlights.assign(hit.title_highlights.begin(), hit.title_highlights.end());
  row.excerpt_highlights.assign(hit.excerpt_highlights.begin(), hit.excerpt_highlights.end());
  row.relevance = hit.relevance;
  row.has_row = hit.has_row;
  if (!hit.has_row) return Visit::Continue;
  row.updated = hit.updated;
  row.url = hit.url;
  row.tags.assign(hit.tags.begin(), hit.tags.end());
  row.views = hit.views;
  row.heading = hit.section.heading;
  row.anchor = hit.section.anchor;
  row.language = hit.language;
  row.version = hit.version;
  return Visit::Continue;
}

void HitRows::collapse_titles() {
  std::vector<Row> kept;
  TextMap<std::size_t> by_title;
  for (Row& row : rows_) {
    const auto [best, is_new] = by_title.emplace(row.title, kept.size());
    if (is_new || row.title.empty()) {
      kept.push_back(std::move(row));
      continue;
    }
    std::vector<Namesake>& namesakes = kept[best->second].namesakes;
    if (namesakes.size() < ports::kMaxNamesakes)
      namesakes.push_back({std::move(row.id), std::move(row.language), std::move(row.version)});
  }
  rows_ = std::move(kept);
}

void HitRows::keep(std::uint64_t offset, std::uint64_t limit) {
  const auto at = [this](std::uint64_t number) {
    return rows_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(number, rows_.size()));
  };
  rows_.erase(at(offset + limit), rows_.end());
  rows_.erase(rows_.begin(), at(offset));
}

Status HitRows::complete(ports::Call& call, ports::ItemStore& items) {
  std::unordered_map<std::string_view, Row*> rows;
  std::unordered_map<std::string_view, Namesake*> namesakes;
  std::vector<std::string_view> ids;
  for (Row& row : rows_) {
    rows.emplace(row.id, &row);
    ids.push_back(row.id);
    for (Namesake& each : row.namesakes) {
      namesakes.emplace(each.id, &each);
      ids.push_back(each.id);
    }
  }
  if (ids.empty()) return {};
  return items.summaries(call, ids, [&](const model::ItemSummaryView& item) {
    if (const auto found = namesakes.find(item.id); found != namesakes.end()) {
      found->second->language = item.language;
      found->second->version = item.version;
    }
    if (const auto found = rows.find(item.id); found != rows.end()) {
      Row& row = *found->second;
      row.has_row = true;
      row.updated = item.metadata.updated;
      row.url = item.url;
      row.tags.assign(item.tags.begin(), item.tags.end());
      row.views = item.metadata.views;
      row.language = item.language;
      row.version = item.version;
    }
    return Visit::Continue;
  });
}

void HitRows::visit(Visitor<ports::SearchHit> visitor) const {
  for (const Row& row : rows_) {
    const std::vector<std::string_view> tags(row.tags.begin(), row.tags.end());
    std::vector<ports::NamesakeView> namesakes;
    for (const Namesake& each : row.namesakes) namesakes.push_back({each.id, each.language, each.version});
    ports::SearchHit hit{
        row.id, row.title, row.category, row.excerpt, row.relevance, row.title_highlights, row.excerpt_highlights};
    hit.has_row = row.has_row;
    hit.updated = row.updated;
    hit.url = row.url;
    hit.tags = tags;
    hit.views = row.views;
    hit.section = {row.heading, row.anchor};
    hit.language = row.language;
    hit.version = row.version;
    hit.namesakes = namesakes;
    if (visitor(hit) == Visit::Stop) return;
  }
}

}  // namespace kbase::usecases
