// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

#include <algorithm>

namespace kbase::conformance {
namespace {

std::string joined(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : "|") + id;
  return text;
}

std::string marked(std::string_view text, std::span<const model::Highlight> highlights) {
  std::string shown;
  std::size_t reached = 0;
  for (const model::Highlight& mark : highlights) {
    shown.append(text.substr(reached, mark.begin - reached)).append("[");
    shown.append(text.substr(mark.begin, mark.end - mark.begin)).append("]");
    reached = mark.end;
  }
  return shown.append(text.substr(reached));
}

}  // namespace

model::Status put(ports::IndexWriter& writer, const std::vector<Leaf>& leaves) {
  std::vector<model::ItemView> items;
  std::vector<const model::ItemView*> pointers;
  items.reserve(leaves.size());
  for (const Leaf& leaf : leaves) {
    model::ItemView& item = items.emplace_back();
    item.id = leaf.id;
    item.title = leaf.title;
    item.category = leaf.category;
    item.content = leaf.content;
    item.tags = leaf.tags;
    item.metadata.updated = model::Day(std::chrono::days(leaf.updated));
    item.metadata.views = leaf.views;
    pointers.push_back(&item);
  }
  ports::Call call;
  return writer.put(call, pointers);
}

model::Status commit(ports::SearchIndex& index, ports::SearchIndex::Build build, const std::vector<Leaf>& leaves,
                     model::Revision revision, const model::StoreId& store_id) {
  ports::Call call;
  const auto writer = index.begin(call, build, store_id);
  if (!writer) return writer.error();
  if (const model::Status status = put(**writer, leaves); !status) return status;
  return (*writer)->commit(call, revision);
}

bool fill(SearchIndexFixture& fixture, Report& report, const std::vector<Leaf>& leaves) {
  return report.ok(commit(fixture.port(), ports::SearchIndex::Build::Rebuild, leaves), "an empty index is filled");
}

std::vector<Leaf> leaves_of(std::string_view prefix, std::size_t count, std::string_view content) {
  std::vector<Leaf> leaves;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    leaves.push_back(
        {.id = std::string(prefix) + (number.size() < 2 ? "0" : "") + number, .content = std::string(content)});
  }
  return leaves;
}

Told ask(ports::SearchIndex& index, const Ask& question) {
  ports::SearchRequest request;
  model::Result<model::QueryNode> query = model::QueryNode();
  if (!question.q.empty()) query = model::parse_query(question.q);
  Told told;
  if (!query) {
    told.ids = "error " + std::string(name_of(query.error().code));
    return told;
  }
  if (!question.q.empty()) request.query = &*query;
  request.filter = question.filter;
  request.sort = question.sort;
  request.offset = question.offset;
  request.limit = question.limit;
  request.fallback_below = question.fallback_below;
  request.facets = question.facets;
  request.highlights = question.highlights;
  ports::Call call;
  std::vector<std::string> ids;
  const auto answer = index.search(call, request, [&](const ports::SearchHit& hit) {
    ids.emplace_back(hit.id);
    told.titles.emplace_back(hit.title);
    told.excerpts.emplace_back(hit.excerpt);
    told.relevances.push_back(hit.relevance);
    told.marked_titles.push_back(marked(hit.title, hit.title_highlights));
    told.marked_excerpts.push_back(marked(hit.excerpt, hit.excerpt_highlights));
    return model::Visit::Continue;
  });
  told.ids = answer ? joined(ids) : "error " + std::string(name_of(answer.error().code));
  if (answer) told.answer = *answer;
  return told;
}

std::string found(ports::SearchIndex& index, std::string_view q, model::FallbackBelow fallback_below) {
  const Told told = ask(index, {.q = q, .sort = model::Sort::Date, .fallback_below = fallback_below});
  return told.ids;  // leaves have the same day by default, so that the ids determine the order
}

}  // namespace kbase::conformance
