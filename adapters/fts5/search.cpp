// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/search.hpp"

#include <algorithm>
#include <limits>

#include "adapters/fts5/tag_list.hpp"

namespace kbase::fts5 {
namespace {

/// Resets a statement that may end halfway.
class Resetting {
 public:
  explicit Resetting(Statement& statement) : statement_(statement) {}
  Resetting(const Resetting&) = delete;
  Resetting& operator=(const Resetting&) = delete;
  ~Resetting() { statement_.reset(); }

 private:
  Statement& statement_;
};

}  // namespace

model::Result<ports::SearchAnswer> Search::run(model::Visitor<ports::SearchHit> visitor) {
  ports::SearchAnswer answer;
  answer.lineage = contents_.state.lineage;
  answer.revision = contents_.state.revision;
  text::Query query;
  if (request_.query != nullptr) {
    query = text::analyze_query(reader_.analyzer, *request_.query, contents_.languages);
    if (query.matches_nothing()) return answer;
  }
  model::Result<Found> found = request_.query == nullptr ? find_all_items() : find_by_rule(query, answer.rule);
  if (!found) return found.error();
  answer.total = found->total;
  answer.facets = facets_.most_frequent();
  if (const model::Status shown = show(*found, query, visitor); !shown) return shown.error();
  return answer;
}

model::Result<Search::Found> Search::find_by_rule(const text::Query& query, model::MatchRule& rule) {
  const Expression expression = expression_of(query);
  Scoring scoring;
  scoring.phrase_weights = expression.phrase_weights;
  rule = model::MatchRule::AllWords;
  model::Result<Found> all = find(expression.all_words, scoring);
  if (!all || expression.clauses < 2 || all->total_before_filter >= request_.fallback_below) return all;
  model::Result<Found> any = find(expression.any_word, scoring);
  if (any && any->total_before_filter != all->total_before_filter) rule = model::MatchRule::AnyWord;
  return any;
}

model::Result<Search::Found> Search::find(const std::string& expression, Scoring& scoring) {
  Found found;
  facets_.clear();
  BestHits best(room());
  const Resetting resetting(reader_.matches);
  reader_.matches.bind(1, expression).bind_pointer(2, &scoring, Scoring::kType);
  for (;;) {
    const model::Result<bool> row = reader_.matches.step();
    if (!row) return row.error();
    if (!*row) break;
    ++found.total_before_filter;
    RankedMatch match;
    match.key = reader_.matches.number(0);
    match.score = reader_.matches.real(1);
    if (const model::Status taken = take_match(found, best, std::move(match)); !taken) return taken.error();
  }
  found.best = best.take();
  return found;
}

/// Counts the match where the filter lets it through, and looks up what orders it only where that can matter.
model::Status Search::take_match(Found& found, BestHits& best, RankedMatch match) {
  const bool by_relevance = request_.sort == model::Sort::Relevance;
  match.rank = by_relevance ? match.score : 0;
  const bool wanted = best.admits(match.rank);
  if (wanted || !request_.filter.is_empty() || request_.facets.any()) {
    Statement& order = reader_.order;
    const Resetting resetting(order);
    const model::Result<bool> row = order.bind(1, match.key).step();
    if (!row) return row.error();
    if (!*row)
      return model::Error{
          model::ErrorCode::Corrupt, "The search index is damaged.", "a match without its item", {}, {}};
    if (!lets_through(order)) return {};
    facets_.add(request_.facets, order.text(0), order.text(4));
    if (wanted) {
      match.id = order.text(3);
      match.order = request_.sort == model::Sort::Popularity ? views_of(match.id, order.number(2)) : order.number(1);
    }
  }
  ++found.total;
  found.best_score = std::max(found.best_score, match.score);
  if (wanted) best.offer(std::move(match));
  return {};
}

/// Of a row of Reader::order.
bool Search::lets_through(const Statement& order) const {
  const ports::SearchFilter& filter = request_.filter;
  const model::Day updated{std::chrono::days(order.number(1))};
  return (!filter.category || order.text(0) == *filter.category) &&
         (!filter.tag || has_tag(order.text(4), *filter.tag)) &&
         (!filter.updated_from || updated >= *filter.updated_from) &&
         (!filter.updated_to || updated <= *filter.updated_to);
}

model::Result<Search::Found> Search::find_all_items() {
  const bool by_views = request_.sort == model::Sort::Popularity;
  const std::string order = by_views ? "" : " ORDER BY updated DESC, id";
  model::Result<Statement> rows =
      reader_.database.prepare("SELECT category, updated, views, id, tags, key FROM item" + order);
  if (!rows) return rows.error();
  Found found;
  found.best_score = 1;
  BestHits best(room());
  for (;;) {
    const model::Result<bool> row = rows->step();
    if (!row) return row.error();
    if (!*row) break;
    if (!lets_through(*rows)) continue;
    facets_.add(request_.facets, rows->text(0), rows->text(4));
    ++found.total;
    // By date the first rows are the best, and the others only count.
    if (!by_views && found.total > room()) continue;
    RankedMatch match;
    match.key = rows->number(5);
    match.score = 1;
    match.id = rows->text(3);
    match.order = by_views ? views_of(match.id, rows->number(2)) : rows->number(1);
    best.offer(std::move(match));
  }
  found.best = best.take();
  return found;
}

model::Status Search::show(const Found& found, const text::Query& query, model::Visitor<ports::SearchHit> visitor) {
  const text::ExcerptMaker excerpts(query);
  for (std::size_t i = request_.offset; i < found.best.size() && i - request_.offset < request_.limit; ++i) {
    Statement& body = reader_.body;
    const Resetting resetting(body);
    const model::Result<bool> row = body.bind(1, found.best[i].key).step();
    if (!row) return row.error();
    if (!*row)
      return model::Error{model::ErrorCode::Corrupt, "The search index is damaged.", "an item without a body", {}, {}};
    const text::Language language = text::language_named(body.text(3)).value_or(text::Language::None);
    const std::string excerpt = excerpts.make(reader_.analyzer, body.text(4), language);
    ports::SearchHit hit;
    hit.id = body.text(0);
    hit.title = body.text(1);
    hit.category = body.text(2);
    hit.excerpt = excerpt;
    hit.relevance = found.best[i].score / found.best_score;
    text::HitMarks marks;
    if (request_.marks) marks = excerpts.marks(reader_.analyzer, hit.title, hit.excerpt, language);
    hit.title_marks = marks.title;
    hit.excerpt_marks = marks.excerpt;
    if (visitor(hit) == model::Visit::Stop) break;
  }
  return {};
}

/// How many of the best matches have to be kept to show the page: none beyond the items there are.
std::size_t Search::room() const {
  if (request_.limit == 0 || request_.offset >= contents_.state.documents) return 0;
  return static_cast<std::size_t>(request_.offset +
                                  std::min<std::uint64_t>(request_.limit, contents_.state.documents - request_.offset));
}

std::int64_t Search::views_of(std::string_view id, std::int64_t imported) const {
  const auto counted = static_cast<std::int64_t>(views_->of(id));
  return imported > std::numeric_limits<std::int64_t>::max() - counted ? std::numeric_limits<std::int64_t>::max()
                                                                       : imported + counted;
}

}  // namespace kbase::fts5
