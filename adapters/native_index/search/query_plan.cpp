// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/query_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/native_index/search/search.hpp"
#include "adapters/native_index/segments/scoring.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/ranking.hpp"
#include "domain/base/text.hpp"

namespace kbase::native_index {
namespace {

using text::QueryPhrase;
using text::QueryWord;

/// Whether both words match the same documents. Ignores quotes.
bool is_same(const QueryWord& a, const QueryWord& b) { return a.prefix == b.prefix && a.terms == b.terms; }

/// Whether the documents that contain a word of the query are exactly the matches.
bool matches_by_words(const text::Query& query) {
  const auto is_word = [](const std::vector<QueryPhrase>& alternative) {
    return alternative.size() == 1 && alternative.front().size() == 1;
  };
  return query.phrases.empty() && std::all_of(query.clauses.begin(), query.clauses.end(), [&](const auto& clause) {
           return std::all_of(clause.alternatives.begin(), clause.alternatives.end(), is_word);
         });
}

/// Whether the query is one prefix, and no title: titles are looked for among all its documents.
bool is_prefix(const text::Query& query) {
  return query.title.empty() && query.clauses.size() == 1 && query.exclusions.empty() && matches_by_words(query) &&
         query.clauses[0].alternatives.size() == 1 && query.clauses[0].alternatives[0][0][0].prefix;
}

void append_new(std::vector<std::string>& term_names, std::string_view name) {
  if (std::find(term_names.begin(), term_names.end(), name) == term_names.end()) term_names.emplace_back(name);
}

void append(Disjunction& to, const Disjunction& lists) { to.insert(to.end(), lists.begin(), lists.end()); }

/// Whether the index may have an exact form of the word, see kExactMark. An item has it if the word is not its own stem
/// in the item's language.
bool may_have_exact_list(const QueryWord& word, const Snapshot& snapshot) {
  return !word.prefix && (!snapshot.other_languages.empty() ||
                          std::any_of(word.terms.begin(), word.terms.end(),
                                      [&](const std::string& term) { return name_of(term) != word.terms.front(); }));
}

/// Builds the posting lists of a query in one segment.
class SegmentPlanner {
 public:
  /// `segment`: its index in the snapshot.
  SegmentPlanner(std::size_t segment, const Snapshot& snapshot, Workspace& workspace,
                 FunctionRef<bool()> should_continue, std::vector<MemoryPostingList>& owned_lists)
      : segment_(*snapshot.segments[segment].segment),
        segment_index_(segment),
        snapshot_(snapshot),
        workspace_(workspace),
        should_continue_(should_continue),
        owned_lists_(owned_lists) {}

  PlannedWord plan_word(const QueryWord& word) {
    const ResolvedWord& resolved = resolve(word);
    return {resolved.matching, resolved.scored};
  }

  /// Plans the only word of a query, a prefix; see plan_query().
  PlannedWord plan_prefix(const QueryWord& word, std::size_t best, std::uint64_t& total) {
    BestOfUnion& lists = workspace_.best_of_union;
    const DocumentSet& deleted = *snapshot_.segments[segment_index_].deleted;
    lists.begin(segment_.windows(), best, deleted.size() == 0 ? std::span<const std::uint64_t>() : deleted.words());
    visit_prefix_lists(word.terms.front(), [&lists](const auto& list) { lists.add(list); });
    total = lists.take(workspace_.gathered);
    const Disjunction found = own_list(MemoryPostingList(workspace_.gathered));
    resolved_.push_back({&word, found, found});
    return {found, found};
  }

  /// Returns the list of the exact form if the word is not its own stem.
  PostingList find_exact_list(const QueryWord& word) const {
    if (!may_have_exact_list(word, snapshot_)) return {};
    return workspace_.lists.find(kExactMark, word.terms.front(), segment_index_);
  }

  Disjunction plan_phrase(std::span<const QueryWord> words) {
    if (words.size() == 1) return resolve(words.front()).matching;
    if (!should_continue_()) return {};
    std::vector<Disjunction> disjunctions;
    for (const QueryWord& each : words)
      disjunctions.push_back(each.prefix ? find_positioned_prefix_lists(each) : find_positioned_lists(each));
    workspace_.effort.add(Effort::kPhrasePosting * count_fewest(disjunctions));
    if (!should_continue_()) return {};
    MemoryPostingList found = workspace_.phrases.find(disjunctions, segment_.windows());
    if (snapshot_.other_languages.empty() && !words.back().prefix) return own_list(std::move(found));
    // Lists with positions also contain other forms: require each word by the same rule as outside of phrases.
    std::vector<Disjunction> all{Disjunction{found.list()}};
    for (const QueryWord& each : words) all.push_back(resolve(each).matching);
    return own_list(intersect(std::move(all)));
  }

  Disjunction plan_clause(const text::Clause& clause) {
    Disjunction lists = plan_alternative(clause.alternatives.front());
    for (std::size_t i = 1; i < clause.alternatives.size(); ++i)
      append(lists, plan_alternative(clause.alternatives[i]));
    return lists;
  }

 private:
  Disjunction plan_alternative(const std::vector<QueryPhrase>& parts) {
    if (parts.size() == 1) return plan_phrase(parts.front());
    std::vector<Disjunction> disjunctions;
    for (const QueryPhrase& part : parts) disjunctions.push_back(plan_phrase(part));
    return own_list(intersect(std::move(disjunctions)));
  }

  struct ResolvedWord {
    const QueryWord* word;
    Disjunction scored;
    Disjunction matching;
  };

  const ResolvedWord& resolve(const QueryWord& word) {
    for (const ResolvedWord& each : resolved_)
      if (is_same(*each.word, word)) return each;
    ResolvedWord resolved{&word, word.prefix ? find_prefix_list(word.terms.front()) : find_lists(word), {}};
    resolved.matching = resolved.scored;
    // In items of other languages the exact form matches.
    if (!snapshot_.other_languages.empty() && !word.prefix)
      append_list(workspace_.lists.find(kExactMark, word.terms.front(), segment_index_), resolved.matching);
    return resolved_.emplace_back(std::move(resolved));
  }

  /// Returns the lists of the terms of the word, each once.
  Disjunction find_lists(const QueryWord& word) const {
    Disjunction lists;
    lists.reserve(word.terms.size());
    for (auto term = word.terms.begin(); term != word.terms.end(); ++term) {
      const std::string_view name = name_of(*term);
      if (std::none_of(word.terms.begin(), term, [name](const auto& each) { return name_of(each) == name; }))
        append_list(workspace_.lists.find(name, segment_index_), lists);
    }
    return lists;
  }

  /// Returns lists with positions. Exact forms have no positions, but items of other languages contain the typed word
  /// under its stem in their language.
  Disjunction find_positioned_lists(const QueryWord& word) {
    Disjunction lists = find_lists(word);
    std::vector<std::string> stems;
    const auto append = [&](std::string_view stem) {
      if (std::none_of(word.terms.begin(), word.terms.end(),
                       [stem](const auto& term) { return name_of(term) == stem; }))
        append_new(stems, stem);
    };
    for (const text::Language language : snapshot_.other_languages) visit_stems(word.terms.front(), language, append);
    for (const std::string& stem : stems) append_list(workspace_.lists.find(stem, segment_index_), lists);
    return lists;
  }

  void visit_stems(std::string_view word, text::Language language, FunctionRef<void(std::string_view)> visitor) {
    workspace_.analyzer.analyze(word, language, [&](const text::Token& token) {
      if (token.is_word()) visitor(token.stem.empty() ? token.exact : token.stem);
    });
  }

  static void append_list(const PostingList& list, Disjunction& lists) {
    if (list.documents() > 0) lists.push_back(list);
  }

  /// Returns one list for all words with the prefix, so that a prefix scores as one term regardless of how many words
  /// it matches. These are the words that are their own stem, and the exact forms of the others.
  Disjunction find_prefix_list(const std::string& prefix) {
    ListUnion& lists = workspace_.list_union;
    lists.begin(segment_.windows());
    visit_prefix_lists(prefix, [&lists](const auto& list) { lists.add(list); });
    return own_list(lists.take());
  }

  /// Stops before the end if the search would take too long.
  template <class Visitor> void visit_prefix_lists(const std::string& prefix, const Visitor& visit) {
    for (const std::string& range : {prefix, kExactMark + prefix})
      segment_.dictionary().visit_entries(range, [&](const TermEntry& entry) {
        workspace_.effort.add(entry.documents + Effort::kShortList);
        if (workspace_.effort.is_too_much()) return Visit::Stop;
        if (const auto list = segment_.short_list(entry))
          visit(*list);
        else
          visit(segment_.list(entry));
        return Visit::Continue;
      });
  }

  /// Returns lists with positions for the words with the prefix. They include other forms of these words, because exact
  /// forms have no positions. There may be tens of thousands of lists, so the phrases of a query share them.
  const Disjunction& find_positioned_prefix_lists(const QueryWord& word) {
    for (const auto& [each, lists] : positioned_prefixes_)
      if (is_same(*each, word)) return lists;
    Disjunction lists;
    workspace_.effort.add(Effort::kUnknown);
    if (!should_continue_()) return positioned_prefixes_.emplace_back(&word, std::move(lists)).second;
    for (const std::string& name : find_positioned_names(word.terms.front()))
      append_list(segment_.find_list(name), lists);
    return positioned_prefixes_.emplace_back(&word, std::move(lists)).second;
  }

  std::vector<std::string> find_positioned_names(const std::string& prefix) {
    std::vector<std::string> term_names;
    const auto append = [&term_names](std::string_view stem) { term_names.emplace_back(stem); };
    for (TermCursor term = segment_.dictionary().prefix(prefix); term.next();) append(term.term());
    for (TermCursor term = segment_.dictionary().prefix(kExactMark + prefix); term.next();) {
      for (const auto* const languages : {&snapshot_.languages, &snapshot_.other_languages})
        for (const text::Language language : *languages) visit_stems(term.term().substr(1), language, append);
    }
    std::sort(term_names.begin(), term_names.end());
    term_names.erase(std::unique(term_names.begin(), term_names.end()), term_names.end());
    return term_names;
  }

  /// Returns the number of postings of the disjunction with the fewest.
  static std::uint64_t count_fewest(const std::vector<Disjunction>& disjunctions) {
    std::uint64_t fewest = Effort::kNoLimit;
    for (const Disjunction& each : disjunctions) {
      std::uint64_t postings = 0;
      for (const PostingList& list : each) postings += list.documents();
      fewest = std::min(fewest, postings);
    }
    return disjunctions.empty() ? 0 : fewest;
  }

  Disjunction own_list(MemoryPostingList list) {
    if (list.list().documents() == 0) return {};
    owned_lists_.push_back(std::move(list));
    return {owned_lists_.back().list()};
  }

  /// Returns the documents that are in every disjunction.
  MemoryPostingList intersect(std::vector<Disjunction> disjunctions) {
    workspace_.effort.add(count_fewest(disjunctions));
    Matching matching;
    matching.required = std::move(disjunctions);
    PostingBuffer& found = workspace_.gathered;
    found.clear();
    for (std::uint32_t window = 0; window < segment_.windows(); ++window)
      for (const std::uint16_t document : list_documents(workspace_.matcher.match(matching, window), workspace_))
        found.add_common(window * kWindowDocuments + document);
    return MemoryPostingList(found);
  }

  const Segment& segment_;
  std::size_t segment_index_;
  const Snapshot& snapshot_;
  Workspace& workspace_;
  FunctionRef<bool()> should_continue_;
  std::vector<MemoryPostingList>& owned_lists_;
  std::vector<ResolvedWord> resolved_;  // lookup cache
  std::vector<std::pair<const QueryWord*, Disjunction>> positioned_prefixes_;
};

/// Plans one word in all segments. Its weight is computed over all live documents of the index.
class WordPlanner {
 public:
  /// `best_of_prefix`: unless it is 0, the word is planned by SegmentPlanner::plan_prefix().
  WordPlanner(const Snapshot& snapshot, std::size_t best_of_prefix, std::vector<SegmentPlanner>& planners,
              std::vector<SegmentPlan>& plans)
      : snapshot_(snapshot), best_of_prefix_(best_of_prefix), planners_(planners), plans_(plans) {}

  void plan(const text::RankedWord& query_word) {
    exact_.clear();
    std::uint64_t documents = 0;
    std::uint64_t exact_documents = 0;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const DocumentSet& deleted = *snapshot_.segments[i].deleted;
      const QueryWord& word = *query_word.word;
      if (best_of_prefix_ > 0) {
        plans_[i].words.push_back(planners_[i].plan_prefix(word, best_of_prefix_, plans_[i].total.emplace()));
        documents += *plans_[i].total;
      } else {
        plans_[i].words.push_back(planners_[i].plan_word(word));
        for (const PostingList& list : plans_[i].words.back().scored) documents += count_live(list, deleted);
      }
      exact_.push_back(planners_[i].find_exact_list(*query_word.word));
      exact_documents += count_live(exact_.back(), deleted);
    }
    // If all items with the word are in languages in which the query is not stemmed, the exact form has the full
    // weight.
    const bool has_forms = documents > 0;
    const std::uint64_t with_word = std::min(has_forms ? documents : exact_documents, snapshot_.documents);
    const double rarity = word_weight(snapshot_.documents, with_word);
    const double weight = query_word.weight(rarity, rarities_);
    rarities_.push_back(with_word > 0 ? rarity : 0);
    const float scale = static_cast<float>(weight * query_word.repetition()) / 255;
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!query_word.word->prefix) plans_[i].words.back().weight = proximity_weight(weight);
      plans_[i].words.back().is_essential = query_word.is_essential();
      for (const PostingList& list : plans_[i].words.back().scored) plans_[i].scored.push_back({list, scale});
      if (exact_[i].documents() == 0) continue;
      // Each item with the exact form is in the list of its stem, if the query has the stems of all languages.
      const bool has_all_stems = has_forms && snapshot_.other_languages.empty();
      plans_[i].scored.push_back({exact_[i], has_forms ? scale * kExactWeight : scale, has_all_stems ? scale : 0.0F});
    }
  }

 private:
  const Snapshot& snapshot_;
  std::size_t best_of_prefix_;
  std::vector<SegmentPlanner>& planners_;
  std::vector<SegmentPlan>& plans_;
  std::vector<PostingList> exact_;  // lists of the word's exact form, one per segment
  std::vector<double> rarities_;    // see text::RankedWord::weight()
};

/// Restricts the documents to the filter's dates. Documents are sorted by date, newest first.
void restrict_dates(const Columns& columns, const ports::SearchFilter& filter, Matching& matching) {
  const auto first_before = [&](model::Day day) {
    const auto number = static_cast<std::int32_t>(day.time_since_epoch().count());
    std::uint32_t begin = 0;
    for (std::uint32_t size = columns.documents(); size > 0;) {
      const std::uint32_t half = size / 2;
      const bool is_newer = columns.updated_day(begin + half) >= number;
      begin = is_newer ? begin + half + 1 : begin;
      size = is_newer ? size - half - 1 : half;
    }
    return begin;
  };
  if (filter.updated_to) matching.begin = first_before(*filter.updated_to + std::chrono::days(1));
  if (filter.updated_from) matching.end = first_before(*filter.updated_from);
}

}  // namespace

std::vector<SegmentPlan> plan_query(const Snapshot& snapshot, const text::Query& query, std::size_t best,
                                    Workspace& workspace, FunctionRef<bool()> should_continue) {
  std::vector<SegmentPlan> plans(snapshot.segments.size());
  std::vector<SegmentPlanner> planners;
  planners.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i)
    planners.emplace_back(i, snapshot, workspace, should_continue, plans[i].owned_lists);

  const std::size_t best_of_prefix = is_prefix(query) ? best : 0;
  WordPlanner words(snapshot, best_of_prefix, planners, plans);
  for (const text::RankedWord& word : text::ranked_words(query)) words.plan(word);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].matches_by_words = matches_by_words(query);
    for (const text::Clause& clause : query.clauses) {
      plans[i].clauses.push_back(planners[i].plan_clause(clause));
      plans[i].is_optional.push_back(clause.is_optional);
    }
    for (const QueryPhrase& phrase : query.phrases) plans[i].phrases.push_back(planners[i].plan_phrase(phrase));
    for (const QueryPhrase& phrase : query.exclusions) append(plans[i].excluded, planners[i].plan_phrase(phrase));
  }
  return plans;
}

std::uint64_t count_phrase(std::span<const QueryWord> words, const Snapshot& snapshot, Workspace& workspace,
                           FunctionRef<bool()> should_continue) {
  std::uint64_t items = 0;
  for (std::size_t i = 0; i < snapshot.segments.size(); ++i) {
    std::vector<MemoryPostingList> owned_lists;
    SegmentPlanner planner(i, snapshot, workspace, should_continue, owned_lists);
    for (const PostingList& list : planner.plan_phrase(words)) items += count_live(list, *snapshot.segments[i].deleted);
  }
  return items;
}

Matching build_matching(const SegmentPlan& plan, const LiveSegment& segment, model::MatchRule rule,
                        const ports::SearchFilter& filter) {
  Matching matching;
  matching.documents = segment.segment->documents();
  matching.deleted = segment.deleted->size() == 0 ? std::span<const std::uint64_t>() : segment.deleted->words();
  matching.required = plan.phrases;
  if (rule == model::MatchRule::AllWords && plan.clauses.size() > 1) {
    for (std::size_t i = 0; i < plan.clauses.size(); ++i)
      if (!plan.is_optional[i]) matching.required.push_back(plan.clauses[i]);
  } else {
    for (const Disjunction& clause : plan.clauses) append(matching.any, clause);
  }
  if (matching.any.empty() && matching.required.size() == plan.phrases.size() && !plan.clauses.empty())
    matching.required.emplace_back();  // no document can match
  matching.excluded = plan.excluded;
  const auto require = [&](char mark, const std::optional<std::string_view>& name, model::TextList further = {}) {
    if (!name) return;
    Disjunction lists = {segment.segment->find_list(std::string(1, mark).append(*name))};
    for (const std::string_view each : further)
      lists.push_back(segment.segment->find_list(std::string(1, mark).append(each)));
    matching.required.push_back(std::move(lists));
  };
  require(kCategoryMark, filter.category, filter.further_categories);
  require(kTagMark, filter.tag, filter.further_tags);
  if (filter.language) require(kLanguageMark, ascii::to_lower(*filter.language));
  require(kVersionMark, filter.version);
  restrict_dates(segment.segment->columns(), filter, matching);
  return matching;
}

}  // namespace kbase::native_index
