// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/corrections.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/native_index/segments/segment_format.hpp"

namespace kbase::native_index {
namespace {

using text::QueryWord;

constexpr std::size_t kLengthForOne = 4;  // code points
constexpr std::size_t kLengthForTwo = 8;

std::size_t code_points(std::string_view word) {
  return static_cast<std::size_t>(
      std::count_if(word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A term's name in the dictionary.
std::string_view name_of(std::string_view term) {
  return term.front() == text::kStemMark ? term.substr(1) : term;
}

/// Items that have the term and are not deleted.
std::uint64_t live_documents(const LiveSegment& live, const TermEntry& entry) {
  if (live.deleted->size() == 0) return entry.documents;
  const PostingList list = live.segment->list(entry);
  return list.documents() - list.count_in(live.deleted->words());
}

bool has_item(const Snapshot& snapshot, std::string_view name) {
  return std::any_of(snapshot.segments.begin(), snapshot.segments.end(), [&](const LiveSegment& live) {
    const auto entry = live.segment->dictionary().find(name);
    return entry && live_documents(live, *entry) > 0;
  });
}

bool is_known(const Snapshot& snapshot, const QueryWord& word) {
  return has_item(snapshot, kExactMark + word.terms.front()) ||
         std::any_of(word.terms.begin(), word.terms.end(),
                     [&](const std::string& term) { return has_item(snapshot, name_of(term)); });
}

bool may_be_a_mistake(const QueryWord& word) {
  return !word.prefix && !word.quoted && code_points(word.terms.front()) >= kLengthForOne &&
         !has_digit(word.terms.front());
}

/// A word that may have been meant.
struct Candidate {
  unsigned distance = 0;
  std::uint64_t documents = 0;
};

class Corrector {
 public:
  explicit Corrector(const Snapshot& snapshot) : snapshot_(snapshot) {}

  std::optional<std::string> replacement(std::string_view word) {
    gather(word, 1);
    if (auto best = best_of_words()) return best;
    if (code_points(word) < kLengthForTwo) return std::nullopt;
    gather(word, 2);
    return best_of_words();
  }

 private:
  void gather(std::string_view word, unsigned distance) {
    candidates_.clear();
    for (const LiveSegment& live : snapshot_.segments)
      for (const std::string_view mark : {std::string_view(), std::string_view(&kExactMark, 1)})
        live.segment->dictionary().nearest(word, distance, mark, [&](const NearTerm& near) {
          if (has_digit(near.term)) return;
          const std::uint64_t documents = live_documents(live, near.entry);
          if (documents == 0) return;
          Candidate& candidate = candidates_[std::string(near.term)];
          candidate.distance = near.distance;
          candidate.documents += documents;
        });
  }

  std::optional<std::string> best_of_words() const {
    const std::pair<const std::string, Candidate>* best = nullptr;
    for (const auto& each : candidates_) {
      const bool is_better =
          best == nullptr || each.second.distance < best->second.distance ||
          (each.second.distance == best->second.distance && each.second.documents > best->second.documents);
      if (is_better && is_word(each.first)) best = &each;
    }
    return best == nullptr ? std::nullopt : std::optional(best->first);
  }

  /// Not only the stem of words, which nobody ever wrote.
  bool is_word(const std::string& term) const {
    std::uint64_t as_other_form = 0;
    std::uint64_t as_any_form = 0;
    for (const LiveSegment& live : snapshot_.segments) {
      const Dictionary& dictionary = live.segment->dictionary();
      if (dictionary.find(kExactMark + term)) return true;
      if (const auto entry = dictionary.find(term)) as_any_form += live_documents(live, *entry);
      for (TermCursor form = dictionary.prefix(kExactMark + term); form.next();)
        as_other_form += live_documents(live, form.entry());
    }
    return as_any_form > as_other_form;
  }

  const Snapshot& snapshot_;
  std::map<std::string, Candidate> candidates_;
};

/// The word as the query's analysis makes one of it.
std::optional<QueryWord> analysed(const std::string& word, const Snapshot& snapshot, Workspace& workspace) {
  model::QueryNode root;
  root.children.push_back({model::QueryNode::Kind::Word, word, {}});
  const text::Query query = text::analyze_query(workspace.analyzer, root, snapshot.languages);
  if (query.clauses.size() != 1) return std::nullopt;
  return query.clauses[0].alternatives[0][0][0];
}

}  // namespace

std::vector<ports::Correction> correct(text::Query& query, const Snapshot& snapshot, Workspace& workspace) {
  std::vector<ports::Correction> corrections;
  Corrector corrector(snapshot);
  for (text::Clause& clause : query.clauses)
    for (auto& alternative : clause.alternatives)
      for (text::QueryPhrase& part : alternative) {
        if (part.size() != 1 || !may_be_a_mistake(part[0]) || is_known(snapshot, part[0])) continue;
        const auto found = corrector.replacement(part[0].terms.front());
        auto meant = found ? analysed(*found, snapshot, workspace) : std::nullopt;
        if (!meant) continue;
        const std::string word = std::exchange(part[0], *std::move(meant)).terms.front();
        const bool is_new = std::none_of(corrections.begin(), corrections.end(),
                                         [&](const ports::Correction& each) { return each.word == word; });
        if (is_new) corrections.push_back({word, *found});
      }
  return corrections;
}

}  // namespace kbase::native_index
