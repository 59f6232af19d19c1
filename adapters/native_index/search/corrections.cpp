// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/query_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/native_index/search/search.hpp"
#include "adapters/native_index/search/surface_forms.hpp"
#include "adapters/native_index/segments/segment.hpp"
#include "adapters/text/compounds.hpp"
#include "adapters/text/substitutes.hpp"
#include "domain/base/text.hpp"

namespace kbase::native_index {
namespace {

using text::QueryPhrase;
using text::QueryWord;

constexpr std::size_t kMinLengthForOneEdit = 4;  // code points
constexpr std::size_t kMinLengthForTwoEdits = 8;

constexpr std::size_t kMaxCachedWords = 512;  // per segment, about 3 KB each

std::size_t count_code_points(std::string_view word) {
  return static_cast<std::size_t>(
      std::count_if(word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool has_digit(std::string_view word) { return std::any_of(word.begin(), word.end(), ascii::is_digit); }

/// Whether both words begin with the same character: people rarely mistype the first one.
bool has_same_start(std::string_view a, std::string_view b) {
  const std::size_t length = utf8::sequence_length(b);
  return a.substr(0, length) == b.substr(0, length);
}

/// Returns the number of live items with the term.
std::uint64_t count_items(const LiveSegment& live, const TermEntry& entry) {
  return live.deleted->size() == 0 ? entry.documents : count_live(live.segment->list(entry), *live.deleted);
}

/// Whether an item has the word, or one with this stem.
bool has_form(TermLists& lists, std::string_view word) {
  return lists.has_item(word) || lists.has_item(kExactMark, word);
}

/// Whether an item has the word itself.
bool has_word(const Snapshot& snapshot, std::string_view word) {
  return std::any_of(snapshot.segments.begin(), snapshot.segments.end(), [&](const LiveSegment& live) {
    const Dictionary& terms = live.segment->dictionary();
    const auto is_live = [&](const std::optional<TermEntry>& entry) { return entry && has_live_word(live, *entry); };
    return is_live(terms.find(word)) || is_live(terms.find(std::string(1, kExactMark).append(word)));
  });
}

bool is_indexed(TermLists& lists, const QueryWord& word) {
  return std::any_of(
             word.terms.begin(), word.terms.end(),
             [&](const std::string& term) { return term.front() != text::kStemMark && lists.has_item(term); }) ||
         lists.has_item(kExactMark, word.terms.front());
}

/// Whether an item has a word that begins with `prefix`.
bool has_prefix(const Snapshot& snapshot, const std::string& prefix) {
  for (const LiveSegment& live : snapshot.segments)
    for (const std::string& range : {prefix, kExactMark + prefix})
      for (TermCursor term = live.segment->dictionary().prefix(range); term.next();)
        if (count_items(live, term.entry()) > 0) return true;
  return false;
}

/// Whether a dictionary of a language of the query has the word.
bool is_right(std::string_view word, const Snapshot& snapshot, spelling::Dictionaries* dictionaries) {
  return dictionaries != nullptr &&
         std::any_of(snapshot.languages.begin(), snapshot.languages.end(), [&](text::Language language) {
           return dictionaries->has(word, std::string(text::name_of(language)));
         });
}

/// Whether a word that the index does not have may be corrected, unless a dictionary has it.
bool is_correctable(std::string_view exact) {
  return count_code_points(exact) >= kMinLengthForOneEdit && !has_digit(exact);
}

/// Whether the word, one edit away from `term`, lacks one of its characters or swaps two of them. One word has few such
/// mistyped forms, but dozens with an added or a wrong character, so a form of this kind is more likely of this word.
bool is_slip(std::string_view word, std::string_view term) {
  if (count_code_points(term) == count_code_points(word) + 1) return true;
  return word.size() == term.size() && std::is_permutation(word.begin(), word.end(), term.begin());
}

/// A possible correction of a word.
struct Candidate {
  unsigned distance = 0;
  std::uint64_t documents = 0;
  bool is_word = false;  // spelled like this in a text, not only a stem
};

constexpr std::uint64_t kSlipWeight = 8;

struct Replacement {
  std::string term;
  std::uint64_t likelihood = 0;  // items with the term, times kSlipWeight if the mistake is a slip
};

class Corrector {
 public:
  Corrector(const Snapshot& snapshot, std::vector<NearTermCache>& caches) : snapshot_(snapshot), caches_(caches) {
    std::erase_if(caches, [](const NearTermCache& each) { return each.segment.expired(); });
  }

  std::optional<Replacement> find_replacement(std::string_view word) {
    if (auto near = find_one_edit_away(word)) return near;
    if (count_code_points(word) < kMinLengthForTwoEdits) return std::nullopt;
    gather_candidates(word, 2);
    return best_candidate(word);
  }

  std::optional<Replacement> find_one_edit_away(std::string_view word) {
    gather_candidates(word, 1);
    return best_candidate(word);
  }

 private:
  void gather_candidates(std::string_view word, unsigned distance) {
    candidates_.clear();
    for (const LiveSegment& live : snapshot_.segments)
      for (const CachedNearTerm& near : find_near_terms(live.segment, word, distance)) {
        const std::uint64_t documents = count_items(live, near.entry);
        if (documents == 0) continue;
        Candidate& candidate = candidates_[near.term];
        candidate.distance = near.distance;
        candidate.documents += documents;
        candidate.is_word = candidate.is_word || has_live_word(live, near.entry);
      }
  }

  const std::vector<CachedNearTerm>& find_near_terms(const std::shared_ptr<const Segment>& segment,
                                                     std::string_view word, unsigned distance) {
    auto& words = find_cache(segment).words;
    std::string key = std::to_string(distance).append(word);
    if (const auto known = words.find(key); known != words.end()) return known->second;
    if (words.size() == kMaxCachedWords) words.clear();
    std::vector<CachedNearTerm>& found = words[std::move(key)];
    for (const std::string_view mark : {std::string_view(), std::string_view(&kExactMark, 1)})
      segment->dictionary().find_near(word, distance, mark, [&found, word](const NearTerm& near) {
        if (!has_digit(near.term) && has_same_start(near.term, word))
          found.push_back({std::string(near.term), near.entry, near.distance});
      });
    return found;
  }

  NearTermCache& find_cache(const std::shared_ptr<const Segment>& segment) {
    const auto known = std::find_if(caches_.begin(), caches_.end(),
                                    [&](const NearTermCache& each) { return each.segment.lock() == segment; });
    return known != caches_.end() ? *known : caches_.emplace_back(NearTermCache{segment, {}});
  }

  /// Returns the nearest candidate; of several, the most likely one.
  std::optional<Replacement> best_candidate(std::string_view word) const {
    std::optional<Replacement> best;
    unsigned least_distance = 0;
    for (const auto& [term, candidate] : candidates_) {
      if (!candidate.is_word) continue;
      const bool is_likely = candidate.distance == 1 && is_slip(word, term);
      const std::uint64_t likelihood = candidate.documents * (is_likely ? kSlipWeight : 1);
      if (best && (candidate.distance > least_distance ||
                   (candidate.distance == least_distance && likelihood <= best->likelihood)))
        continue;
      best = {term, likelihood};
      least_distance = candidate.distance;
    }
    return best;
  }

  const Snapshot& snapshot_;
  std::vector<NearTermCache>& caches_;
  std::map<std::string, Candidate> candidates_;
};

}  // namespace

void adapt_substitutes(text::Query& query, const Snapshot& snapshot, Workspace& workspace, bool corrects_typos,
                       spelling::Dictionaries* dictionaries, FunctionRef<bool()> should_continue) {
  const auto is_split = [&](std::span<const QueryWord> words) {
    const std::uint64_t items = count_phrase(words, snapshot, workspace, should_continue);
    const std::string whole = words[0].terms.front() + words[1].terms.front();
    if (items == 0 || !corrects_typos || !is_correctable(whole)) return items > 0;
    workspace.effort.add(Effort::kUnknown);
    if (workspace.effort.is_too_much()) return true;  // a quick search, which fails then
    if (is_right(whole, snapshot, dictionaries)) return true;
    const auto replacement = Corrector(snapshot, workspace.near_terms).find_one_edit_away(whole);
    return !replacement || items * kSlipWeight >= replacement->likelihood;  // a missing space is a slip
  };
  text::adapt_substitutes(query, workspace.analyzer, snapshot.languages, [&](std::span<const QueryWord> words) {
    if (words.size() > 1) return is_split(words);
    return words[0].prefix ? has_prefix(snapshot, words[0].terms.front()) : is_indexed(workspace.lists, words[0]);
  });
  const auto has = [&](std::string_view word) { return has_form(workspace.lists, word); };
  const auto visit_containing = [&](std::string_view part, text::Vocabulary::Sink sink) {
    for (const LiveSegment& live : snapshot.segments) {
      if (!live.segment->has_word_parts()) workspace.effort.add(Effort::kUnknown);
      if (workspace.effort.is_too_much()) return;
      live.segment->word_parts().visit(part, [&](std::string_view word) {
        if (has_word(snapshot, word)) sink(word);
      });
    }
  };
  text::add_compounds(query, workspace.analyzer, snapshot.languages, {visit_containing, has});
}

Result<std::vector<ports::Correction>> correct_typos(text::Query& query, const Snapshot& snapshot, Workspace& workspace,
                                                     spelling::Dictionaries* dictionaries) {
  std::vector<ports::Correction> corrections;
  Corrector corrector(snapshot, workspace.near_terms);
  for (text::Clause& clause : query.clauses) {
    if (clause.has_substitutes || clause.is_known) continue;
    for (auto& alternative : clause.alternatives)
      for (text::QueryPhrase& part : alternative) {
        if (part.size() != 1 || part[0].prefix || part[0].quoted || !is_correctable(part[0].terms.front()) ||
            is_indexed(workspace.lists, part[0]))
          continue;
        workspace.effort.add(Effort::kUnknown);
        if (workspace.effort.is_too_much()) return corrections;
        if (is_right(part[0].typed, snapshot, dictionaries)) continue;
        const auto found = corrector.find_replacement(part[0].terms.front());
        if (!found) continue;
        auto form = KBASE_TRY(find_surface_form(snapshot, workspace.analyzer, found->term));
        auto corrected = text::analyze_query_word(workspace.analyzer, form, snapshot.languages);
        if (!corrected) {  // words that a mark joins
          form = found->term;
          corrected = text::analyze_query_word(workspace.analyzer, form, snapshot.languages);
        }
        if (!corrected) continue;
        const std::string word = std::exchange(part[0], *std::move(corrected)).typed;
        const bool is_new = std::none_of(corrections.begin(), corrections.end(), [&](const ports::Correction& each) {
          return ascii::to_lower(each.word) == ascii::to_lower(word);
        });
        if (is_new) corrections.push_back({word, std::move(form)});
      }
  }
  return corrections;
}

}  // namespace kbase::native_index
