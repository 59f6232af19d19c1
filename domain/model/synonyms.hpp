// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/item.hpp"
#include "domain/model/query.hpp"

namespace kbase::model {

/// Words of a base that mean the same (docs/content/synonyms.md). For the lifetime of its views see Visitor.
struct SynonymsView {
  std::string_view from;  ///< set: a query with it also finds `words`, not the other way round. Empty: each of `words`
                          ///< also finds the others
  TextList words;         ///< words, or several words separated by spaces
  std::string_view source;  ///< name of the source that brought them; empty: unknown
};

/// The key of synonyms in a base: the word of the query, or the first of the words.
struct SynonymsKey {
  bool is_one_way = false;
  std::string word;

  auto operator<=>(const SynonymsKey&) const = default;
};

/// An owning copy of synonyms.
struct Synonyms {
  std::string from;
  std::vector<std::string> words;
  std::string source;

  Synonyms() = default;
  explicit Synonyms(const SynonymsView& view)
      : from(view.from), words(view.words.begin(), view.words.end()), source(view.source) {}

  SynonymsKey key() const;

  /// Whether no word is left to add: an import then removes the synonyms with their key.
  bool is_removal() const { return words.size() < (from.empty() ? 2U : 1U); }

  /// The view is valid as long as the object and `list`, which it fills.
  SynonymsView view(std::vector<std::string_view>& list) const {
    list.assign(words.begin(), words.end());
    return {from, list, source};
  }

  bool operator==(const Synonyms&) const = default;
};

inline constexpr std::size_t kMaxSynonymsOfBase = 10'000;  ///< keys
inline constexpr std::size_t kMaxSynonymWords = 64;        ///< words of one key
inline constexpr std::size_t kMaxSynonymBytes = 128;       ///< of one word

/// A word of a query, and what a search also looks for.
struct AddedSynonym {
  std::string word;  ///< as typed
  std::string synonym;

  bool operator==(const AddedSynonym&) const = default;
};

/// The synonyms of a base, to be looked up. Immutable; any thread.
class SynonymTable {
 public:
  /// Returns a word without case and accents.
  using Fold = std::function<std::string(std::string_view)>;

  SynonymTable() = default;
  SynonymTable(std::span<const Synonyms> all, Fold fold);

  /// Adds the synonyms of the Words below the root to them, as children: Words and Phrases that also match, below the
  /// word. Consecutive Words that are one entry get the synonyms of it, and no others. At most kMaxPerWord for a word
  /// and kMaxPerQuery in all. Returns what was added, in the order of the query.
  std::vector<AddedSynonym> add_to(QueryNode& root) const;

  /// Equal for equal synonyms on every server; 0: the base has no synonyms.
  std::uint64_t digest() const { return digest_; }

  static constexpr std::size_t kMaxPerWord = 16;
  static constexpr std::size_t kMaxPerQuery = 32;
  /// A text of more words is never found in a query.
  static constexpr std::size_t kMaxEntryWords = 8;

 private:
  using Words = std::vector<std::string>;
  /// The nodes of a query that have synonyms; null: none.
  struct Match {
    const Words* synonyms = nullptr;
    std::size_t nodes = 0;
  };

  Words words_of(std::string_view text) const;
  void add_entry(std::string_view from, std::span<const std::string> synonyms);
  Match find(std::span<const QueryNode> nodes) const;

  Fold fold_;
  std::map<Words, Words> entries_;  // up to kMaxPerWord synonyms as written, by the words in compared form
  std::uint64_t digest_ = 0;
};

}  // namespace kbase::model
