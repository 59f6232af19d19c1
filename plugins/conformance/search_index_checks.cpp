// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/search_index_checks.hpp"

#include <algorithm>

#include "domain/base/result.hpp"
#include "domain/model/function_words.hpp"

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

std::string row_of(const ports::SearchHit& hit) {
  if (!hit.has_row) return "none";
  std::string row = model::format_day(hit.updated);
  for (const std::string_view tag : hit.tags) row.append(" ").append(tag);
  row.append(" ").append(std::to_string(hit.views));
  for (const std::string_view member : {hit.url, hit.section.heading, hit.section.anchor, hit.language, hit.version})
    row.append(" ").append(member.empty() ? "-" : member);
  return row;
}

}  // namespace

Status put(ports::IndexWriter& writer, const std::vector<SampleItem>& samples) {
  std::vector<model::ItemView> items;
  std::vector<const model::ItemView*> pointers;
  items.reserve(samples.size());
  for (const SampleItem& leaf : samples) {
    model::ItemView& item = items.emplace_back();
    item.id = leaf.id;
    item.title = leaf.title;
    item.category = leaf.category;
    item.content = leaf.content;
    item.tags = leaf.tags;
    item.metadata.updated = model::Day(std::chrono::days(leaf.updated));
    item.metadata.views = leaf.views;
    item.url = leaf.url;
    item.aliases = leaf.aliases;
    item.sections = leaf.sections;
    item.language = leaf.language;
    item.version = leaf.version;
    pointers.push_back(&item);
  }
  ports::Call call;
  return writer.put(call, pointers);
}

Status commit(ports::SearchIndex& index, ports::SearchIndex::Build build, const std::vector<SampleItem>& samples,
              model::Revision revision, const model::StoreId& store_id) {
  ports::Call call;
  const auto writer = KBASE_TRY(index.begin(call, build, store_id));
  KBASE_TRY(put(*writer, samples));
  return writer->commit(call, revision);
}

bool fill(SearchIndexFixture& fixture, Report& report, const std::vector<SampleItem>& samples) {
  return report.ok(commit(fixture.port(), ports::SearchIndex::Build::Rebuild, samples), "an empty index is filled");
}

std::vector<SampleItem> make_samples(std::string_view prefix, std::size_t count, std::string_view content) {
  std::vector<SampleItem> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    samples.push_back(
        {.id = std::string(prefix) + (number.size() < 2 ? "0" : "") + number, .content = std::string(content)});
  }
  return samples;
}

QueryResult run_query(ports::SearchIndex& index, const Query& query) {
  ports::SearchRequest request;
  Result<model::QueryNode> parsed = model::QueryNode();
  if (!query.q.empty()) parsed = model::parse_query(query.q);
  QueryResult result;
  if (!parsed) {
    result.ids = "error " + std::string(name_of(parsed.error().code));
    return result;
  }
  if (!query.q.empty()) request.query = &*parsed;
  if (query.skips_function_words) model::mark_function_words(*parsed);
  for (const std::string_view synonym : query.synonyms) {
    const bool is_phrase = synonym.find(' ') != std::string_view::npos;
    parsed->children.back().children.push_back(
        {is_phrase ? model::QueryNode::Kind::Phrase : model::QueryNode::Kind::Word, std::string(synonym), {}});
  }
  static_cast<ports::SearchOptions&>(request) = query.options();
  ports::Call call;
  call.is_quick = query.is_quick;
  std::vector<std::string> ids;
  const auto found = index.search(call, request, [&](const ports::SearchHit& hit) {
    ids.emplace_back(hit.id);
    result.titles.emplace_back(hit.title);
    result.excerpts.emplace_back(hit.excerpt);
    result.relevances.push_back(hit.relevance);
    result.marked_titles.push_back(marked(hit.title, hit.title_highlights));
    result.marked_excerpts.push_back(marked(hit.excerpt, hit.excerpt_highlights));
    result.rows.push_back(row_of(hit));
    return Visit::Continue;
  });
  result.ids = found ? joined(ids) : "error " + std::string(name_of(found.error().code));
  if (found) result.result = *found;
  return result;
}

std::string search_ids(ports::SearchIndex& index, std::string_view q, Query (*rule)(Query)) {
  // Sample items have the same day by default, so that the ids determine the order.
  return run_query(index, rule({.q = q, .sort = model::Sort::Date})).ids;
}

}  // namespace kbase::conformance
