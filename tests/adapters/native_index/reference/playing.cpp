// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/reference/playing.hpp"

#include <algorithm>

namespace kbase::tests {
namespace {

void add_synonyms(model::QueryNode& root, const std::vector<std::string>& synonyms) {
  using Kind = model::QueryNode::Kind;
  const auto word = std::find_if(root.children.begin(), root.children.end(),
                                 [](const model::QueryNode& each) { return each.kind == Kind::Word; });
  if (word == root.children.end()) return;
  for (const std::string& synonym : synonyms)
    word->children.push_back({synonym.find(' ') == std::string::npos ? Kind::Word : Kind::Phrase, synonym, {}});
}

model::Day day(int number) { return model::Day(std::chrono::days(number)); }

}  // namespace

Status write(ports::IndexWriter& writer, ports::Call& call, const Batch& batch) {
  std::vector<model::Item> items;
  const auto put = [&]() -> Status {
    std::vector<const model::ItemView*> views;
    for (const model::Item& item : items) views.push_back(&item.view());
    const Status status = views.empty() ? Status() : writer.put(call, views);
    items.clear();
    return status;
  };
  for (const Batch::Change& change : batch.changes) {
    if (!change.removed) items.push_back(change.item.item());
    if (change.removed || items.size() == batch.together)
      if (const Status status = put(); !status) return status;
    if (!change.removed) continue;
    if (const Status status = writer.remove(call, change.item.id); !status) return status;
  }
  return put();
}

SampleRequest::SampleRequest(const SampleSearch& search) {
  if (auto query = model::parse_query(search.q)) query_ = *std::move(query);
  is_valid_ = search.q.empty() || query_.has_value();
  if (query_) add_synonyms(*query_, search.synonyms);
  if (!search.q.empty() && query_) request_.query = &*query_;
  if (search.category) request_.filter.category = *search.category;
  if (search.tag) request_.filter.tag = *search.tag;
  if (search.language) request_.filter.language = *search.language;
  if (search.version) request_.filter.version = *search.version;
  if (search.updated_from) request_.filter.updated_from = day(*search.updated_from);
  if (search.updated_to) request_.filter.updated_to = day(*search.updated_to);
  request_.facets = {true, true, true, true};
  request_.highlights = true;
  request_.sort = search.sort;
  request_.offset = search.offset;
  request_.limit = search.limit;
  request_.fallback_below = search.fallback_below;
}

}  // namespace kbase::tests
