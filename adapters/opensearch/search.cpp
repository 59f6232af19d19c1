// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/search.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "adapters/opensearch/document.hpp"
#include "adapters/opensearch/expression.hpp"
#include "adapters/opensearch/failure.hpp"
#include "adapters/opensearch/schema.hpp"
#include "adapters/text/excerpt.hpp"

namespace kbase::opensearch {
namespace {

/// Batches are seconds apart, so the second attempt almost always sees a single state. Rare exceptions: for example, a
/// copy was lost.
constexpr int kMostAttempts = 5;
constexpr std::chrono::milliseconds kPause{20};

/// Whether a response is of the state that the search started with.
bool is_of(const Contents& contents, const std::optional<FoundState>& answered) {
  return answered && !answered->state.is_open && contents.is_of(*answered);
}

/// Returns the first hits whose contents fit into one response; at least one.
std::span<const PageHit> first_part(std::span<const PageHit> hits) {
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  while (count < hits.size() && (count == 0 || bytes + hits[count].bytes <= kMostBytesAtOnce))
    bytes += hits[count++].bytes;
  return hits.first(count);
}

/// Returns contents by id, as views into the response.
std::unordered_map<std::string_view, std::string_view> contents_in(const Json& answer) {
  std::unordered_map<std::string_view, std::string_view> contents;
  const Json& hits = member(member(answer, "hits"), "hits");
  if (!hits.is_array()) return contents;
  for (const Json& each : hits) {
    const Json& stored = member(each, "_source");
    contents[text(stored, "id")] = text(stored, "content");
  }
  return contents;
}

}  // namespace

model::Result<ports::SearchAnswer> Search::run(model::Visitor<ports::SearchHit> visitor) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (attempt >= 2) {
      parts_.reader.turn_to_another_copy();
      if (const auto paused = parts_.server.pause(call_, kPause); !paused) return paused.error();
    }
    const auto contents = attempt == 0 ? parts_.reader.last(call_) : parts_.reader.look(call_);
    if (!contents) return unpublished(contents.error());
    auto answer = answer_from(**contents, visitor);
    // The index was replaced by another one.
    if (!answer && answer.error().code == model::ErrorCode::NotFound) continue;
    if (!answer) return answer.error();
    if (*answer) return **std::move(answer);
  }
  return unpublished(no_state("the index changes faster than it can be asked"));
}

/// nullopt: another state was published in the meantime.
model::Result<std::optional<ports::SearchAnswer>> Search::answer_from(const Contents& contents,
                                                                      model::Visitor<ports::SearchHit> visitor) {
  ports::SearchAnswer answer;
  answer.store_id = contents.found.state.store_id;
  text::Query query;
  model::Result<std::optional<Found>> found = std::optional<Found>();
  if (request_.query != nullptr) {
    query = text::analyze_query(parts_.analyzer, *request_.query, contents.languages);
    // A query that matches nothing is sent as well, without matches: the response must name its state.
    found = query.matches_nothing() ? find(contents, every_item(), 0) : find_by_rule(contents, query, answer.rule);
  } else {
    found = find(contents, every_item(), request_.limit);
  }
  if (!found) return found.error();
  if (!*found) return std::optional<ports::SearchAnswer>();
  const Page& page = (*found)->page;
  const auto excerpts = excerpts_of(contents, **found, query);
  if (!excerpts) return excerpts.error();
  if (!*excerpts) return std::optional<ports::SearchAnswer>();
  answer.revision = page.state->state.revision;
  answer.views_revision = page.state->state.views_revision;
  const bool matches_nothing = request_.query != nullptr && query.matches_nothing();
  if (!matches_nothing) {
    answer.total = page.total;
    answer.facets = page.facets;
    show(page, **excerpts, visitor);
  }
  return std::optional(std::move(answer));
}

model::Result<std::optional<Search::Found>> Search::find_by_rule(const Contents& contents, const text::Query& query,
                                                                 model::MatchRule& rule) {
  const Expression expression = expression_of(query);
  rule = model::MatchRule::AllWords;
  const bool has_two_rules = expression.clauses > 1;
  const bool is_any_sure = has_two_rules && request_.fallback_below == model::kAlwaysAnyWord;
  auto all = find(contents, expression.all_words, is_any_sure ? 0 : request_.limit);
  if (!all || !*all || !has_two_rules || (*all)->page.matches >= request_.fallback_below) return all;
  auto any = find(contents, expression.any_word, request_.limit);
  if (any && *any && (*any)->page.matches != (*all)->page.matches) rule = model::MatchRule::AnyWord;
  return any;
}

/// nullopt: the response is of another state than `contents`.
model::Result<std::optional<Search::Found>> Search::find(const Contents& contents, const Json& query,
                                                         std::uint64_t limit) {
  const bool is_too_far = limit > 0 && (request_.offset >= kMostMatches || limit > kMostMatches - request_.offset);
  const bool with_contents = contents.largest <= kMostBytesAtOnce / std::max<std::uint64_t>(limit, 1);
  const Json asked = page_request({request_, query, is_too_far ? 0 : limit, with_contents});
  auto answer = parts_.server.ask(
      call_, {.path = parts_.reader.search_path(), .body = written(asked), .attempts = kAttemptsOfReading});
  if (!answer) return answer.error();
  Found found{*std::move(answer), {}, with_contents};
  auto page = read_page(found.answer);
  if (!page) return page.error();
  found.page = *std::move(page);
  if (!is_of(contents, found.page.state)) return std::optional<Found>();
  if (is_too_far && found.page.total > request_.offset)
    return model::invalid_argument("offset", "Matches beyond the first " + std::to_string(kMostMatches) +
                                                 " are not shown; ask for less, or for something narrower.");
  return std::optional(std::move(found));
}

/// nullopt: another state was published in the meantime.
model::Result<std::optional<Search::Excerpts>> Search::excerpts_of(const Contents& contents, const Found& found,
                                                                   const text::Query& query) {
  const text::ExcerptMaker maker(query);
  Excerpts excerpts;
  const auto add = [&](const PageHit& hit, std::string_view content) {
    const text::Language language = text::language_named(hit.language).value_or(text::Language::None);
    Excerpt& excerpt = excerpts.emplace_back();
    excerpt.text = maker.make(parts_.analyzer, content, language);
    if (request_.highlights) excerpt.highlights = maker.highlights(parts_.analyzer, hit.title, excerpt.text, language);
  };
  std::span<const PageHit> hits = found.page.hits;
  if (found.has_contents)
    for (const PageHit& hit : hits) add(hit, hit.content);
  while (excerpts.size() < hits.size()) {
    const std::span<const PageHit> part = first_part(hits.subspan(excerpts.size()));
    const auto answer = read_contents(contents, part);
    if (!answer) return answer.error();
    if (!*answer) return std::optional<Excerpts>();
    const auto texts = contents_in(**answer);
    for (const PageHit& hit : part) {
      const auto content = texts.find(hit.id);
      add(hit, content == texts.end() ? std::string_view() : content->second);
    }
  }
  return std::optional(std::move(excerpts));
}

/// nullopt: another state was published in the meantime.
model::Result<std::optional<Json>> Search::read_contents(const Contents& contents, std::span<const PageHit> hits) {
  std::vector<std::string_view> ids;
  for (const PageHit& hit : hits) ids.push_back(hit.id);
  auto answer = parts_.server.ask(
      call_,
      {.path = parts_.reader.search_path(), .body = written(contents_request(ids)), .attempts = kAttemptsOfReading});
  if (!answer) return answer.error();
  if (!is_of(contents, aggregated_state(*answer))) return std::optional<Json>();
  return std::optional(*std::move(answer));
}

void Search::show(const Page& page, const Excerpts& excerpts, model::Visitor<ports::SearchHit> visitor) {
  for (std::size_t i = 0; i < page.hits.size(); ++i) {
    const PageHit& each = page.hits[i];
    ports::SearchHit hit;
    hit.id = each.id;
    hit.title = each.title;
    hit.category = each.category;
    hit.excerpt = excerpts[i].text;
    hit.title_highlights = excerpts[i].highlights.title;
    hit.excerpt_highlights = excerpts[i].highlights.excerpt;
    hit.relevance = each.score / page.best_score;
    if (visitor(hit) == model::Visit::Stop) break;
  }
}

}  // namespace kbase::opensearch
