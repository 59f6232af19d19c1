// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/search/corrections.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/native_index/search/terms.hpp"
#include "adapters/native_index/segments/segment_format.hpp"

namespace kbase::native_index {
namespace {

using text::QueryWord;

constexpr std::size_t kLengthForOne = 4;  // code points
constexpr std::size_t kLengthForTwo = 8;

constexpr std::size_t kMostRemembered = 512;  // per segment, about 3 KB each

std::size_t code_points(std::string_view word) {
  return static_cast<std::size_t>(
      std::count_if(word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool has_digit(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns the number of live items with the term.
std::uint64_t items_with(const LiveSegment& live, const TermEntry& entry) {
  return live.deleted->size() == 0 ? entry.documents : live_documents(live.segment->list(entry), *live.deleted);
}

bool has_item(const Snapshot& snapshot, std::string_view name) {
  return std::any_of(snapshot.segments.begin(), snapshot.segments.end(), [&](const LiveSegment& live) {
    const auto entry = live.segment->dictionary().find(name);
    return entry && items_with(live, *entry) > 0;
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

/// A possible correction of a word.
struct Candidate {
  unsigned distance = 0;
  std::uint64_t documents = 0;
  bool is_word = false;  // spelled like this in a text, not only a stem
};

class Corrector {
 public:
  Corrector(const Snapshot& snapshot, std::vector<RememberedNear>& remembered)
      : snapshot_(snapshot), remembered_(remembered) {
    std::erase_if(remembered, [](const RememberedNear& each) { return each.segment.expired(); });
  }

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
      for (const NearWord& near : near_words(live.segment, word, distance)) {
        const std::uint64_t documents = items_with(live, near.entry);
        if (documents == 0) continue;
        Candidate& candidate = candidates_[near.term];
        candidate.distance = near.distance;
        candidate.documents += documents;
        candidate.is_word = candidate.is_word || near.entry.is_word;
      }
  }

  const std::vector<NearWord>& near_words(const std::shared_ptr<const Segment>& segment, std::string_view word,
                                          unsigned distance) {
    auto& words = remembered(segment).words;
    std::string name = std::to_string(distance).append(word);
    if (const auto known = words.find(name); known != words.end()) return known->second;
    if (words.size() == kMostRemembered) words.clear();
    std::vector<NearWord>& found = words[std::move(name)];
    for (const std::string_view mark : {std::string_view(), std::string_view(&kExactMark, 1)})
      segment->dictionary().nearest(word, distance, mark, [&found](const NearTerm& near) {
        if (!has_digit(near.term)) found.push_back({std::string(near.term), near.entry, near.distance});
      });
    return found;
  }

  RememberedNear& remembered(const std::shared_ptr<const Segment>& segment) {
    const auto known = std::find_if(remembered_.begin(), remembered_.end(),
                                    [&](const RememberedNear& each) { return each.segment.lock() == segment; });
    return known != remembered_.end() ? *known : remembered_.emplace_back(RememberedNear{segment, {}});
  }

  std::optional<std::string> best_of_words() const {
    const std::pair<const std::string, Candidate>* best = nullptr;
    for (const auto& each : candidates_) {
      const Candidate& candidate = each.second;
      if (candidate.is_word &&
          (best == nullptr || candidate.distance < best->second.distance ||
           (candidate.distance == best->second.distance && candidate.documents > best->second.documents)))
        best = &each;
    }
    return best == nullptr ? std::nullopt : std::optional(best->first);
  }

  const Snapshot& snapshot_;
  std::vector<RememberedNear>& remembered_;
  std::map<std::string, Candidate> candidates_;
};

/// Analyses the word in the same way as a query.
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
  Corrector corrector(snapshot, workspace.near);
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
