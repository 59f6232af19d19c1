// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/contents.hpp"

#include <algorithm>
#include <utility>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/failure.hpp"
#include "adapters/text/query.hpp"

namespace kbase::opensearch {
namespace {

Json of_kind(const char* kind) {
  return {{"term", {{"kind", kind}}}};
}

model::Result<FoundState> one(std::optional<FoundState> found) {
  if (!found) return no_state("OpenSearch has no state of an index, or that of more than one");
  return *std::move(found);
}

model::Result<FoundState> whole(model::Result<FoundState> found) {
  if (found && found->state.is_open)
    return no_state("OpenSearch shows a batch that is not whole; it is written anew by whoever feeds the index");
  return found;
}

std::vector<text::Language> languages_in(const Json& items, std::uint64_t documents) {
  std::vector<text::Language> languages;
  const Json& buckets = member(member(items, "languages"), "buckets");
  if (!buckets.is_array()) return languages;
  for (const Json& bucket : buckets) {
    const auto count = static_cast<double>(number(bucket, "doc_count").value_or(0));
    if (count <= 0 || count < text::kMinLanguageShare * static_cast<double>(documents)) break;
    const auto language = text::language_named(text(bucket, "key"));
    if (language && *language != text::Language::None) languages.push_back(*language);
    if (languages.size() == text::kMaxQueryLanguages) break;
  }
  return languages;
}

}  // namespace

bool Contents::is_of(const FoundState& other) const {
  return found.index == other.index && found.state.revision == other.state.revision &&
         found.state.store_id == other.state.store_id;
}

Json state_aggregation() {
  return {{"filter", of_kind(kState)},
          {"aggs", {{"found", {{"top_hits", {{"size", 2}, {"seq_no_primary_term", true}, {"_source", {kState}}}}}}}}};
}

std::optional<FoundState> aggregated_state(const Json& answer) {
  const Json& state = member(member(answer, "aggregations"), "state");
  const Json& hits = member(member(member(state, "found"), "hits"), "hits");
  if (!hits.is_array() || hits.size() != 1) return std::nullopt;
  return state_in(hits[0]);
}

std::string Reader::search_path() const {
  return "/" + alias_ + "/_search?" + copy() +
         "&allow_partial_search_results=false&filter_path=error,status,hits.total.value,hits.max_score,"
         "hits.hits._index,hits.hits._score,hits.hits._source,hits.hits._seq_no,hits.hits._primary_term,aggregations";
}

std::string Reader::copy() const {
  return "preference=" + name_ + "-" + std::to_string(turns_);
}

model::Result<FoundState> Reader::published(ports::Call& call) const {
  const Json asked{{"size", 2}, {"seq_no_primary_term", true}, {"query", of_kind(kState)}};
  const auto answer =
      server_.ask(call, {.path = search_path(), .body = written(asked), .attempts = kAttemptsOfReading});
  if (!answer) return answer.error();
  const Json& hits = member(member(*answer, "hits"), "hits");
  const bool is_one = hits.is_array() && hits.size() == 1;
  return one(is_one ? state_in(hits[0]) : std::nullopt);
}

model::Result<FoundState> Reader::state(ports::Call& call) const {
  return whole(published(call));
}

model::Result<std::shared_ptr<const Contents>> Reader::look(ports::Call& call) {
  const Json asked{{"size", 0},
                   {"query", {{"terms", {{"kind", {kItem, kState}}}}}},
                   {"aggs",
                    {{"items",
                      {{"filter", of_kind(kItem)},
                       {"aggs",
                        {{"languages", {{"terms", {{"field", "language"}, {"size", 64}}}}},
                         {"largest", {{"max", {{"field", "bytes"}}}}}}}}},
                     {"state", state_aggregation()}}}};
  const auto answer =
      server_.ask(call, {.path = search_path(), .body = written(asked), .attempts = kAttemptsOfReading});
  if (!answer) return answer.error();
  auto found = whole(one(aggregated_state(*answer)));
  if (!found) return found.error();
  auto contents = std::make_shared<Contents>();
  contents->found = *std::move(found);
  const Json& items = member(member(*answer, "aggregations"), "items");
  contents->documents = number(items, "doc_count").value_or(0);
  contents->largest = static_cast<std::uint64_t>(std::max(real(member(items, "largest"), "value").value_or(0), 0.0));
  contents->languages = languages_in(items, contents->documents);
  const std::lock_guard lock(mutex_);
  known_ = contents;
  return std::shared_ptr<const Contents>(std::move(contents));
}

model::Result<std::shared_ptr<const Contents>> Reader::last(ports::Call& call) {
  if (auto seen = known()) return seen;
  return look(call);
}

model::Result<std::shared_ptr<const Contents>> Reader::contents_of(ports::Call& call, const FoundState& found) {
  if (auto seen = known(); seen && seen->is_of(found)) return seen;
  return look(call);
}

std::shared_ptr<const Contents> Reader::known() const {
  const std::lock_guard lock(mutex_);
  return known_;
}

}  // namespace kbase::opensearch
