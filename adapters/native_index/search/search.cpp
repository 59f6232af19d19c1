// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/search.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "adapters/native_index/postings/kernels.hpp"
#include "adapters/native_index/search/query_plan.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

using model::MatchRule;

Error foreign_document_error() { return corrupt_error("a posting list has a document that its segment does not have"); }

/// Errors: Corrupt if a damaged list has a document that the segment does not have.
Status check_within(std::uint32_t documents, std::uint32_t window, const WindowMatches& matches) {
  const std::uint32_t here = documents - window * kWindowDocuments;
  if (here >= kWindowDocuments || matches.count() == 0) return {};
  bool is_within = true;
  if (matches.is_set()) {
    const auto& words = matches.set().words;
    is_within = words[here / 64] >> (here % 64) == 0;
    for (std::size_t i = here / 64 + 1; i < words.size(); ++i) is_within = is_within && words[i] == 0;
  } else {  // a damaged list is in any order
    for (const std::uint16_t document : matches.documents()) is_within = is_within && document < here;
  }
  return is_within ? Status() : foreign_document_error();
}

/// Up to this many hits, it pays to compute the minimum score for the next segment.
constexpr std::size_t kFewHits = 1'000;

}  // namespace

Search::Search(const Snapshot& snapshot, Workspace& workspace, const ports::SearchRequest& request,
               const ports::Call& call, const ports::Clock& clock, const Options& options)
    : snapshot_(snapshot),
      workspace_(workspace),
      request_(request),
      call_(call),
      clock_(clock),
      options_(options),
      facets_(snapshot, request.facets) {}

Result<ports::SearchResult> Search::find() {
  ports::SearchResult answer;
  answer.store_id = snapshot_.store_id;
  answer.revision = snapshot_.revision;
  answer.views_revision = snapshot_.views_revision;
  const auto should_continue = [this] { return static_cast<bool>(check_cancelled()); };
  workspace_.effort.begin(call_.is_quick ? Effort::kQuick : Effort::kNoLimit);
  workspace_.effort.add(std::min<std::uint64_t>(request_.limit, snapshot_.documents) * Effort::kHit);
  workspace_.effort.add(top_k() * Effort::kRankedHit);
  KBASE_TRY(check_cancelled());
  workspace_.lists.begin(snapshot_);
  if (request_.query != nullptr) {
    query_ = text::analyze_query(workspace_.analyzer, *request_.query, snapshot_.languages);
    if (query_.matches_nothing()) return answer;
    title_ = hash_title(query_.title);
    for (const LiveSegment& each : snapshot_.segments) each.segment->columns().titles().prefetch(title_);
    adapt_substitutes(query_, snapshot_, workspace_, options_.corrects_typos, options_.dictionaries, should_continue);
    if (options_.corrects_typos) {
      auto corrections = KBASE_TRY(correct_typos(query_, snapshot_, workspace_, options_.dictionaries));
      answer.corrections = std::move(corrections);
    }
  }
  KBASE_TRY(check_cancelled());
  plans_ = plan_query(snapshot_, query_, count_best(), workspace_, should_continue);
  estimate_ranking();
  KBASE_TRY(check_cancelled());
  workspace_.proximity.begin(plans_);
  auto top_docs = KBASE_TRY(find_by_rule(answer.rule));
  answer.total = top_docs.total;
  answer.facets = facets_.top_values();
  KBASE_TRY(promote_titles(top_docs.best));
  rerank_by_proximity(top_docs.best);
  page_ = std::move(sorts_by_score() ? top_docs.best : top_docs.hits);
  cut_page(page_);
  return answer;
}

/// Applies the match rule. The choice between all and any words does not depend on the filter.
Result<Search::TopDocs> Search::find_by_rule(MatchRule& rule) {
  rule = MatchRule::AllWords;
  if (query_.clauses.size() < 2) return find(rule);
  if (request_.filter.is_empty() && request_.fallback_below != model::kAlwaysAnyWord) {
    auto all = find(MatchRule::AllWords);
    if (!all || all->total >= request_.fallback_below) return all;
    auto any = find(MatchRule::AnyWord);
    if (any && any->total != all->total) rule = MatchRule::AnyWord;
    return any;
  }
  const auto all = KBASE_TRY(count(MatchRule::AllWords, request_.fallback_below));
  if (all >= request_.fallback_below) return find(MatchRule::AllWords);
  return find_any(all, rule);
}

/// Finds items with any word. `all` is the number of items with all words.
Result<Search::TopDocs> Search::find_any(std::uint64_t all, MatchRule& rule) {
  const auto any = KBASE_TRY(count(MatchRule::AnyWord, all + 1));
  if (any != all) rule = MatchRule::AnyWord;
  return find(MatchRule::AnyWord);
}

/// Counts matches, ignoring the filter, until at least `enough` are found.
Result<std::uint64_t> Search::count(MatchRule rule, std::uint64_t enough) {
  std::uint64_t total = 0;
  for (std::uint32_t segment = 0; segment < plans_.size() && total < enough; ++segment) {
    const Matching matching = build_matching(plans_[segment], live(segment), rule, {});
    for (std::uint32_t window = 0; window < live(segment).segment->windows() && total < enough; ++window) {
      KBASE_TRY(check_cancelled());
      total += workspace_.matcher.match(matching, window).count();
    }
  }
  return total;
}

Result<Search::TopDocs> Search::find(MatchRule rule) {
  TopDocs top_docs;
  facets_.clear();
  for (std::uint32_t segment = 0; segment < plans_.size(); ++segment) KBASE_TRY(find_in(segment, rule, top_docs));
  return top_docs;
}

Status Search::find_in(std::uint32_t segment, MatchRule rule, TopDocs& top_docs) {
  const SegmentPlan& plan = plans_[segment];
  if (plan.total) return rank_planned(segment, top_docs);
  const Matching matching = build_matching(plan, live(segment), rule, request_.filter);
  TopHits top(heap_size());
  set_min_score(top_docs, top);
  // If every document with a query word matches, ranking needs no match sets, and the total of a single list is known.
  const bool ranks_all = plan.matches_by_words && matching.required.empty() && matching.excluded.empty() &&
                         matching.deleted.empty() && !matching.is_bounded() && !plan.scored.empty();
  const bool is_one_list = ranks_all && matching.any.size() == 1;
  const bool needs_matches = !ranks_all || !sorts_by_score() || facets_.are_enabled();
  const bool needs_count = options_.counts_total && !is_one_list;
  std::size_t left = request_.sort == model::Sort::Popularity || sorts_by_score() ? 0 : top_k();
  if (!needs_matches && is_one_list) top_docs.total += matching.any[0].documents();
  if (ranks_all) set_min_score(plan, top);
  for (std::uint32_t window = 0; window < live(segment).segment->windows(); ++window) {
    KBASE_TRY(check_cancelled());
    std::optional<std::uint32_t> count;
    if (ranks_all && top_k() > 0) count = workspace_.ranker.rank(plan.scored, window, top);
    if (!needs_matches && (!needs_count || count)) {
      if (needs_count) top_docs.total += *count;
      continue;
    }
    const WindowMatches& matches = workspace_.matcher.match(matching, window);
    KBASE_TRY(check_within(live(segment).segment->documents(), window, matches));
    top_docs.total += matches.count();
    if (facets_.are_enabled()) facets_.add(segment, window, matches, list_documents(matches, workspace_));
    if (matches.count() == 0 || top_k() == 0) continue;
    if (!ranks_all && !plan.scored.empty()) workspace_.ranker.rank_matches(plan.scored, window, matches, top);
    if (sorts_by_score()) continue;
    if (request_.sort == model::Sort::Popularity) {
      collect_by_views(segment, window, matches, top_docs);
      continue;
    }
    auto documents = list_documents(matches, workspace_);
    documents = documents.first(std::min(documents.size(), left));
    left -= documents.size();
    for (const std::uint16_t document : documents)
      top_docs.hits.push_back({segment, window * kWindowDocuments + document, 0});
  }
  return take_hits(segment, top, top_docs);
}

/// Errors: Corrupt, as check_within().
Status Search::take_hits(std::uint32_t segment, TopHits& top, TopDocs& top_docs) const {
  const std::uint32_t documents = live(segment).segment->documents();
  for (const ScoredDocument& hit : top.take()) {
    if (hit.document >= documents) return foreign_document_error();
    top_docs.best.push_back({segment, hit.document, hit.score});
  }
  return {};
}

/// Ranks the documents that planning found.
Status Search::rank_planned(std::uint32_t segment, TopDocs& top_docs) {
  const SegmentPlan& plan = plans_[segment];
  top_docs.total += *plan.total;
  TopHits top(heap_size());
  for (std::uint32_t window = 0; window < live(segment).segment->windows(); ++window) {
    KBASE_TRY(check_cancelled());
    workspace_.ranker.rank(plan.scored, window, top);
  }
  return take_hits(segment, top, top_docs);
}

/// Sets the minimum score of a search that ranks all documents with a word of the plan.
void Search::set_min_score(const SegmentPlan& plan, TopHits& top) const {
  const auto k = static_cast<std::uint32_t>(std::min<std::size_t>(heap_size(), kWindowDocuments));
  if (k == 0) return;
  for (const ScoredList& each : plan.scored)
    if (const std::uint8_t min_impact = each.list.top_impact(k); min_impact > 0)
      top.set_min_score(each.weight * static_cast<float>(min_impact) +
                        each.implied_weight * static_cast<float>(min_impact));
}

/// Seeds the minimum score with the k-th best so far; ties must still be collected.
void Search::set_min_score(const TopDocs& top_docs, TopHits& top) const {
  if (heap_size() == 0 || heap_size() > kFewHits || top_docs.best.size() < heap_size()) return;
  std::vector<float> scores;
  for (const Hit& hit : top_docs.best) scores.push_back(hit.score);
  const auto last = scores.begin() + static_cast<std::ptrdiff_t>(heap_size()) - 1;
  std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
  top.set_min_score(*last);
}

void Search::collect_by_views(std::uint32_t segment, std::uint32_t window, const WindowMatches& matches,
                              TopDocs& top_docs) {
  for (const std::uint16_t each : filter_by_views(segment, window, matches, top_docs.min_views)) {
    const Hit hit{segment, window * kWindowDocuments + each, 0};
    if (get_views(hit) >= top_docs.min_views) top_docs.hits.push_back(hit);
  }
  if (top_docs.hits.size() > 2 * top_k() + kFewHits) keep_top_by_views(top_docs);
}

/// Returns the matches without some that cannot be among the first by views. Raises `min_views` to the lower bound
/// that this proves.
std::span<const std::uint16_t> Search::filter_by_views(std::uint32_t segment, std::uint32_t window,
                                                       const WindowMatches& matches, std::uint64_t& min_views) {
  if (!matches.is_set()) return matches.documents();
  const std::uint64_t* const set = matches.set().words.data();
  for (const ViewCounts::Tier& tier : live(segment).views->tiers()) {
    const std::uint64_t* const viewed = tier.documents.words().data() + std::size_t{window} * kWindowWords;
    if (tier.min_views > min_views && kernels().count_common(set, viewed) < top_k()) continue;
    min_views = std::max(min_views, tier.min_views);
    workspace_.set = matches.set();
    kernels().intersect(workspace_.set.words.data(), viewed);
    return list_documents(workspace_.set, workspace_);
  }
  return list_documents(matches, workspace_);
}

void Search::keep_top_by_views(TopDocs& top_docs) const {
  const auto end = top_docs.hits.begin() + static_cast<std::ptrdiff_t>(top_k());
  std::nth_element(top_docs.hits.begin(), end - 1, top_docs.hits.end(),
                   [this](const Hit& a, const Hit& b) { return precedes(a, b); });
  top_docs.hits.erase(end, top_docs.hits.end());
  top_docs.min_views = get_views(top_docs.hits.back());
}

/// Adds the matches whose title or alias is the query, word for word, and marks those that are among the best.
Status Search::promote_titles(std::vector<Hit>& best) {
  if (query_.title.empty() || top_k() == 0) return {};
  const auto ranked = static_cast<std::ptrdiff_t>(best.size());  // further hits are titles, each of which is found once
  for (std::uint32_t segment = 0; segment < plans_.size(); ++segment) {
    const auto with_title = live(segment).segment->columns().titles().find(title_);
    if (with_title.empty()) continue;
    workspace_.effort.add(with_title.size() * Effort::kTitle);
    KBASE_TRY(check_cancelled());
    workspace_.gathered.clear();
    for (const std::uint32_t document : with_title) workspace_.gathered.add(document, 1);
    const MemoryPostingList titles(workspace_.gathered);
    Matching matching = build_matching(plans_[segment], live(segment), MatchRule::AllWords, request_.filter);
    matching.required.push_back({titles.list()});
    for (std::uint32_t i = 0; i < titles.list().windows(); ++i) {
      KBASE_TRY(check_cancelled());
      const std::uint32_t window = titles.list().window(i).number();
      const auto documents = list_documents(workspace_.matcher.match(matching, window), workspace_);
      const std::vector<std::uint16_t> found(documents.begin(), documents.end());
      const auto scores = workspace_.ranker.scores(plans_[segment].scored, window, found);
      for (std::size_t j = 0; j < found.size(); ++j) {
        const Hit hit{segment, window * kWindowDocuments + found[j], scores[j], true};
        const auto known = std::find_if(best.begin(), best.begin() + ranked, [&hit](const Hit& each) {
          return each.segment == hit.segment && each.document == hit.document;
        });
        if (known == best.begin() + ranked)
          best.push_back(hit);
        else
          known->is_title = true;
      }
    }
  }
  return {};
}

/// Reranks the top kProximityHits by proximity. Boosts are never negative, so these hits stay ahead of the others.
void Search::rerank_by_proximity(std::vector<Hit>& best) {
  const auto behind = best.begin() + static_cast<std::ptrdiff_t>(std::min(best.size(), kProximityHits));
  const auto by_score = [this](const Hit& a, const Hit& b) { return is_better(a, b); };
  if (!std::is_sorted(best.begin(), best.end(), by_score))
    std::partial_sort(best.begin(), behind, best.end(), by_score);
  if (workspace_.proximity.has_effect()) {
    const auto by_document = [](const Hit& a, const Hit& b) {
      return std::tuple(a.segment, a.document) < std::tuple(b.segment, b.document);
    };
    std::sort(best.begin(), behind, by_document);
    for (auto hit = best.begin(); hit != behind; ++hit)
      hit->score += workspace_.proximity.compute_boost(hit->segment, hit->document);
    std::sort(best.begin(), behind, by_score);
  }
  // The relevance of a title is that of the best.
  float highest = 0;
  for (const Hit& hit : best) highest = std::max(highest, hit.score);
  for (Hit& hit : best)
    if (hit.is_title) hit.score = highest;
  best_.assign(best.begin(), behind);
  std::copy_if(behind, best.end(), std::back_inserter(best_), [](const Hit& hit) { return hit.is_title; });
}

/// Keeps only the hits of the page, in result order.
void Search::cut_page(std::vector<Hit>& hits) const {
  const std::size_t end = std::min(top_k(), hits.size());
  const auto last = hits.begin() + static_cast<std::ptrdiff_t>(end);
  const auto by_order = [this](const Hit& a, const Hit& b) { return precedes(a, b); };
  if (!std::is_sorted(hits.begin(), hits.end(), by_order)) std::partial_sort(hits.begin(), last, hits.end(), by_order);
  hits.erase(last, hits.end());
  const auto begin = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(request_.offset, end));
  hits.erase(hits.begin(), hits.begin() + begin);
}

bool Search::precedes(const Hit& a, const Hit& b) const {
  if (request_.sort == model::Sort::Popularity) {
    const std::uint64_t one = get_views(a);
    const std::uint64_t other = get_views(b);
    return one != other ? one > other : has_smaller_id(a, b);
  }
  return is_better(a, b);
}

/// Orders titles by their views before all others, then by score, by date (newest first), and by id.
bool Search::is_better(const Hit& a, const Hit& b) const {
  if (a.is_title || b.is_title) {
    if (a.is_title != b.is_title) return a.is_title;
    return get_views(a) != get_views(b) ? get_views(a) > get_views(b) : is_newer(a, b);
  }
  return a.score != b.score ? a.score > b.score : is_newer(a, b);
}

bool Search::is_newer(const Hit& a, const Hit& b) const {
  if (a.segment == b.segment) return a.document < b.document;
  const std::int32_t one = live(a.segment).segment->columns().updated_day(a.document);
  const std::int32_t other = live(b.segment).segment->columns().updated_day(b.document);
  return one != other ? one > other : has_smaller_id(a, b);
}

bool Search::has_smaller_id(const Hit& a, const Hit& b) const {
  const IdTable& ids = live(a.segment).segment->columns().ids();
  if (a.segment == b.segment) return ids.rank(a.document) < ids.rank(b.document);
  IdBuffer one;
  IdBuffer other;
  return ids.id(a.document, one) < live(b.segment).segment->columns().ids().id(b.document, other);
}

/// Number of first results that must be known to build the page (top k).
std::size_t Search::top_k() const {
  if (request_.limit == 0 || request_.offset >= snapshot_.documents) return 0;
  return static_cast<std::size_t>(request_.offset +
                                  std::min<std::uint64_t>(request_.limit, snapshot_.documents - request_.offset));
}

/// Number of best hits of each segment that the search needs besides the total; 0: it may need more.
std::size_t Search::count_best() const {
  constexpr std::size_t kMaxBest = 1'024;
  const bool needs_matches = !sorts_by_score() || !request_.filter.is_empty() || facets_.are_enabled();
  return needs_matches || top_k() > kMaxBest ? 0 : top_k();
}

/// Heap size for the best hits by score: the page, and the hits that proximity reranks.
std::size_t Search::heap_size() const {
  const std::size_t best = workspace_.proximity.has_effect() ? kProximityHits : 1;
  return top_k() == 0 ? 0 : sorts_by_score() ? std::max(top_k(), best) : best;
}

/// Adds the work of matching and ranking: at most all postings of the words are read.
void Search::estimate_ranking() {
  std::uint64_t postings = request_.query == nullptr ? snapshot_.documents : 0;
  for (const SegmentPlan& plan : plans_)
    for (const ScoredList& each : plan.scored) postings += each.list.documents();
  workspace_.effort.add(postings);
  if (request_.facets.any()) workspace_.effort.add(postings * Effort::kFacetPosting);
  if (request_.sort == model::Sort::Popularity) workspace_.effort.add(postings * Effort::kViewsPosting);
}

Status Search::check_cancelled() const {
  if (workspace_.effort.is_too_much()) return Error{ErrorCode::Deadline, "The search takes too long for a quick call."};
  if (call_.cancelled()) return Error{ErrorCode::Cancelled, "The search was cancelled."};
  if (clock_.steady() > call_.deadline) return Error{ErrorCode::Deadline, "The search took too long."};
  return {};
}

}  // namespace kbase::native_index
