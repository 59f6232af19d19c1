// SPDX-License-Identifier: Apache-2.0
#include "domain/model/synonyms.hpp"

#include <algorithm>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::model {
namespace {

using Kind = QueryNode::Kind;

/// Returns the words of a text, which spaces and hyphens separate.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    std::size_t end = 0, gap = 0;
    while (end < text.size() && gap == 0) {
      gap = text[end] == '-' ? 1 : utf8::space_length(text.substr(end));
      if (gap == 0) ++end;
    }
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(end + gap);
  }
  return words;
}

/// FNV-1a of 64 bits (draft-eastlake-fnv).
class Digest {
 public:
  void add(char byte) { value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001B3U; }
  void add(std::string_view text) {
    constexpr char kEnd = '\xFF';  // no text has this byte
    for (const char c : text) add(c);
    add(kEnd);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

}  // namespace

SynonymsKey Synonyms::key() const {
  if (!from.empty()) return {true, from};
  return {false, words.empty() ? std::string() : words.front()};
}

SynonymTable::SynonymTable(std::span<const Synonyms> all, Fold fold) : fold_(std::move(fold)) {
  if (all.empty()) return;
  Digest digest;
  for (const Synonyms& each : all) {
    digest.add(each.from);
    for (const std::string& word : each.words) digest.add(word);
    digest.add("");
    if (!each.from.empty())
      add_entry(each.from, each.words);
    else
      for (const std::string& word : each.words) add_entry(word, each.words);
  }
  digest_ = std::max<std::uint64_t>(digest.value(), 1);
}

/// Returns the forms by which the words of a text are compared.
SynonymTable::Words SynonymTable::words_of(std::string_view text) const {
  constexpr std::string_view kPunctuation = ".,;:!?()[]\"'";
  constexpr std::size_t kShortest = 4;
  Words words;
  for (std::string_view word : split(text)) {
    word.remove_prefix(std::min(word.find_first_not_of(kPunctuation), word.size()));
    word = word.substr(0, word.find_last_not_of(kPunctuation) + 1);
    std::string folded = fold_(word);
    // Regular plurals of several languages end in `s`.
    if (folded.size() > kShortest && folded.ends_with('s') && !folded.ends_with("ss")) folded.pop_back();
    if (!folded.empty()) words.push_back(std::move(folded));
  }
  return words;
}

void SynonymTable::add_entry(std::string_view from, std::span<const std::string> synonyms) {
  Words words = words_of(from);
  if (words.empty() || words.size() > kMaxEntryWords) return;
  Words& known = entries_[std::move(words)];
  for (const std::string& synonym : synonyms) {
    if (known.size() == kMaxPerWord) return;
    if (synonym != from && std::find(known.begin(), known.end(), synonym) == known.end()) known.push_back(synonym);
  }
}

/// Returns the longest entry that the Words of `nodes` begin with.
SynonymTable::Match SynonymTable::find(std::span<const QueryNode> nodes) const {
  Words typed;
  Match best;
  for (std::size_t end = 0; end < nodes.size() && nodes[end].kind == Kind::Word && typed.size() < kMaxEntryWords;
       ++end) {
    for (std::string& word : words_of(nodes[end].text)) typed.push_back(std::move(word));
    if (typed.empty()) return best;
    // The first of the entries that begin with the typed words, if there are any.
    const auto entry = entries_.lower_bound(typed);
    if (entry == entries_.end() || entry->first.size() < typed.size() ||
        !std::equal(typed.begin(), typed.end(), entry->first.begin()))
      return best;
    if (entry->first.size() == typed.size()) best = {&entry->second, end + 1};
  }
  return best;
}

std::vector<AddedSynonym> SynonymTable::add_to(QueryNode& root) const {
  std::vector<AddedSynonym> added;
  std::size_t left = entries_.empty() ? 0 : kMaxPerQuery;
  for (std::size_t at = 0; at < root.children.size() && left != 0;) {
    const auto [synonyms, size] = find(std::span<const QueryNode>(root.children).subspan(at));
    const auto nodes = std::span(root.children).subspan(at, std::max<std::size_t>(size, 1));
    at += nodes.size();
    // An item with the synonym matches each of the words that it stands for.
    std::vector<QueryNode*> required;
    std::string typed;
    for (QueryNode& node : nodes) {
      typed.append(typed.empty() ? "" : " ").append(node.text);
      if (!node.is_optional) required.push_back(&node);
    }
    if (synonyms == nullptr || required.empty()) continue;
    const std::size_t most = std::min(synonyms->size(), left / required.size());
    for (const std::string& synonym : std::span(*synonyms).first(most)) {
      const bool is_phrase = synonym.find(' ') != std::string::npos;
      for (QueryNode* node : required) node->children.push_back({is_phrase ? Kind::Phrase : Kind::Word, synonym, {}});
      added.push_back({typed, synonym});
    }
    left -= most * required.size();
  }
  return added;
}

}  // namespace kbase::model
