// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/query.hpp"

#include <algorithm>
#include <utility>

#include "adapters/text/titles.hpp"
#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

using Kind = model::QueryNode::Kind;

template <class T> void append_unique(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

/// A query word with its other spellings.
struct SpelledWord {
  QueryWord word;
  std::size_t begin = 0;               // in its text
  std::vector<QueryWord> pieces = {};  // words that together mean the same
};

/// Words of a text that also are one word.
struct JoinedRange {
  QueryWord word;
  std::size_t first, last;  // indexes of the words
};

struct SpelledText {
  std::vector<SpelledWord> words;
  std::vector<JoinedRange> joined;
};

/// Returns an alternative of one word.
std::vector<QueryPhrase> alternative_of(QueryWord word) {
  std::vector<QueryPhrase> alternative(1);
  alternative[0].push_back(std::move(word));
  return alternative;
}

/// Adds the stem and the forms of a token to a word.
void add_forms(QueryWord& word, const Token& token) {
  for (const std::string_view stem : {token.stem.empty() ? token.exact : token.stem, token.stem_of_exact}) {
    if (stem.empty()) continue;
    append_unique(word.terms, std::string(stem));
    append_unique(word.terms, kStemMark + std::string(stem));
  }
}

class QueryBuilder {
 public:
  QueryBuilder(Analyzer& analyzer, std::span<const Language> languages) : analyzer_(analyzer), languages_(languages) {}

  Query build(const model::QueryNode& root) {
    for (const model::QueryNode& node : root.children) add(node);
    require_something();
    if (!may_be_title(root)) query_.title.clear();
    return std::move(query_);
  }

  /// Returns the word if the text is one.
  std::optional<QueryWord> build_word(std::string_view text) {
    SpelledText spelled = analyze(text);
    if (spelled.words.size() != 1) return std::nullopt;
    return std::move(spelled.words[0].word);
  }

 private:
  static constexpr std::size_t kNoClause = ~std::size_t{0};

  void add(const model::QueryNode& node) {
    const std::size_t neighbour = std::exchange(last_word_, kNoClause);
    switch (node.kind) {
      case Kind::AllOf:
        for (const model::QueryNode& child : node.children) add(child);
        break;
      case Kind::AnyOf: add_alternatives(node); break;
      case Kind::Not:
        for (const model::QueryNode& child : node.children) add_phrase(query_.exclusions, child);
        break;
      case Kind::Word: add_word(node, neighbour); break;
      case Kind::Prefix:
        if (QueryPhrase words = build_phrase(node); !words.empty())
          append_unique(query_.clauses, Clause{{{std::move(words)}}});
        break;
      case Kind::Phrase: add_phrase(query_.phrases, node); break;
    }
  }

  /// Adds a clause for each word of the node. `neighbour`: the clause of the Word before, if that is one word.
  void add_word(const model::QueryNode& node, std::size_t neighbour) {
    SpelledText text = analyze_word(node.text);
    if (text.words.size() > 1) {
      QueryPhrase& words = query_.together.emplace_back();
      for (const SpelledWord& each : text.words) words.push_back(each.word);
    }
    std::vector<std::size_t> clauses;
    for (SpelledWord& each : text.words) clauses.push_back(add_clause(std::move(each), node.is_optional));
    for (const JoinedRange& joined : text.joined)
      for (std::size_t i = joined.first; i < joined.last; ++i) add_substitute(clauses[i], alternative_of(joined.word));
    for (const model::QueryNode& synonym : node.children)
      for (std::vector<QueryPhrase>& substitute : substitutes_of(synonym))
        for (const std::size_t clause : clauses) add_substitute(clause, substitute);
    if (clauses.size() != 1 || node.is_optional || !may_be_joined(query_.clauses[clauses[0]])) return;
    last_word_ = clauses[0];
    if (neighbour == kNoClause || neighbour == last_word_) return;
    const auto joined = join(query_.clauses[neighbour], query_.clauses[last_word_]);
    if (!joined) return;
    for (const std::size_t clause : {neighbour, last_word_}) add_substitute(clause, alternative_of(*joined));
  }

  /// Returns the index of the clause.
  std::size_t add_clause(SpelledWord spelled, bool is_optional) {
    const auto known = std::find_if(query_.clauses.begin(), query_.clauses.end(), [&](const Clause& clause) {
      const std::vector<QueryPhrase>& typed = clause.alternatives.front();
      return typed.size() == 1 && typed[0].size() == 1 && typed[0][0] == spelled.word;
    });
    const auto index = static_cast<std::size_t>(known - query_.clauses.begin());
    if (known != query_.clauses.end()) {
      ++known->alternatives[0][0][0].times;
      return index;
    }
    Clause& clause = query_.clauses.emplace_back();
    clause.alternatives.push_back(alternative_of(std::move(spelled.word)));
    clause.is_optional = is_optional;
    add_substitute(index, phrases_of(spelled.pieces));
    return index;
  }

  void add_substitute(std::size_t clause, std::vector<QueryPhrase> alternative) {
    if (alternative.empty()) return;
    append_unique(query_.clauses[clause].alternatives, std::move(alternative));
    query_.clauses[clause].has_substitutes = true;
  }

  static std::vector<QueryPhrase> phrases_of(const std::vector<QueryWord>& words) {
    std::vector<QueryPhrase> phrases;
    for (const QueryWord& word : words) append_unique(phrases, QueryPhrase{word});
    return phrases;
  }

  /// Whether the clause is a word of letters and digits only, so that it may be a half of another one.
  static bool may_be_joined(const Clause& clause) {
    const QueryWord& word = clause.alternatives[0][0][0];
    return !word.prefix && utf8::may_be_in_word(word.terms[0].front()) && utf8::may_be_in_word(word.terms[0].back());
  }

  std::optional<QueryWord> join(const Clause& first, const Clause& second) {
    constexpr std::size_t kLongest = 20;  // bytes
    const std::string text = first.alternatives[0][0][0].terms[0] + second.alternatives[0][0][0].terms[0];
    if (text.size() > kLongest) return std::nullopt;
    auto joined = build_word(text);
    if (joined) joined->origin = WordOrigin::Spelling;
    return joined;
  }

  void add_phrase(std::vector<QueryPhrase>& list, const model::QueryNode& node) {
    if (QueryPhrase words = build_phrase(node); !words.empty()) append_unique(list, std::move(words));
  }

  using Alternatives = std::vector<std::vector<QueryPhrase>>;

  void add_alternatives(const model::QueryNode& node) {
    Clause clause;
    for (const model::QueryNode& child : node.children) {
      const bool is_word = child.kind == Kind::Word;
      for (auto& each : is_word ? spellings_of(analyze_word(child.text)) : Alternatives{{build_phrase(child)}})
        if (!each.front().empty()) append_unique(clause.alternatives, std::move(each));
    }
    if (!clause.alternatives.empty()) append_unique(query_.clauses, std::move(clause));
  }

  /// Returns the words of a text, then its other spellings as a whole. Never an empty list of phrases.
  static Alternatives spellings_of(const SpelledText& text) {
    Alternatives all;
    const auto append = [&all](std::vector<QueryPhrase> phrases) {
      if (!phrases.empty()) append_unique(all, std::move(phrases));
    };
    std::vector<QueryPhrase> parts;
    for (const SpelledWord& each : text.words) append_unique(parts, QueryPhrase{each.word});
    append(std::move(parts));
    if (text.words.size() == 1) append(phrases_of(text.words[0].pieces));
    for (const JoinedRange& joined : text.joined)
      if (joined.first == 0 && joined.last == text.words.size()) append({{joined.word}});
    return all;
  }

  /// Returns what matches in place of a word with this synonym.
  Alternatives substitutes_of(const model::QueryNode& synonym) {
    Alternatives all = synonym.kind == Kind::Phrase ? Alternatives{{build_phrase(synonym, false)}}
                                                    : spellings_of(analyze(synonym.text));
    std::erase_if(all, [](const std::vector<QueryPhrase>& phrases) { return phrases.front().empty(); });
    for (std::vector<QueryPhrase>& phrases : all)
      for (QueryPhrase& phrase : phrases)
        for (QueryWord& word : phrase) word.origin = WordOrigin::Synonym;
    return all;
  }

  /// Returns the words of the node as one phrase.
  QueryPhrase build_phrase(const model::QueryNode& node, bool is_typed = true) {
    QueryPhrase words;
    const bool is_quoted = node.kind == Kind::Phrase;
    for (SpelledWord& each : analyze(node.text, {.is_typed = is_typed, .is_quoted = is_quoted}).words)
      words.push_back(std::move(each.word));
    for (std::size_t i = 0; i + 1 < words.size(); ++i) words[i].prefix = false;
    for (QueryWord& word : words) word.quoted = is_quoted;
    if (node.kind == Kind::Prefix && !words.empty()) {
      words.back().terms.resize(1);
      words.back().prefix = true;
    }
    return words;
  }

  /// A query of words and phrases, without operators, may be a title.
  static bool may_be_title(const model::QueryNode& root) {
    return std::all_of(root.children.begin(), root.children.end(), [](const model::QueryNode& node) {
      return node.kind == Kind::Word || node.kind == Kind::Phrase;
    });
  }

  /// If no clause is required, all are.
  void require_something() {
    if (std::any_of(query_.clauses.begin(), query_.clauses.end(), [](const Clause& each) { return !each.is_optional; }))
      return;
    for (Clause& clause : query_.clauses) clause.is_optional = false;
  }

  /// Analyzes the text of a Word, up to the maximum number of words of a query.
  SpelledText analyze_word(std::string_view text) {
    SpelledText spelled = analyze(text, {.is_typed = true});
    if (spelled.words.size() > words_left_) {
      spelled.words.resize(words_left_);
      std::erase_if(spelled.joined, [this](const JoinedRange& range) { return range.last > words_left_; });
    }
    words_left_ -= spelled.words.size();
    return spelled;
  }

  struct TextKind {
    bool is_typed = false;   // its words are those of a title
    bool is_quoted = false;  // an option of a command line matches only as one
  };

  SpelledText analyze(std::string_view text) { return analyze(text, {}); }

  SpelledText analyze(std::string_view text, TextKind kind) {
    SpelledText spelled;
    const Language first = languages_.empty() ? Language::None : languages_.front();
    analyzer_.analyze(text, first, [&](const Token& token) {
      if (kind.is_typed) add_title_word(query_.title, token);
      add_token(spelled, text, token, kind.is_quoted);
    });
    for (std::size_t i = 1; i < languages_.size(); ++i) add_stems(spelled, text, languages_[i], kind.is_quoted);
    return spelled;
  }

  /// `word`: the last word before the token; null: it is the first one.
  static bool is_ignored(const SpelledWord* word, const Token& token, bool is_quoted) {
    if (token.role == Token::Role::Part) return true;
    return token.role == Token::Role::Alternative && is_quoted && word->word.terms[0].front() == '-';
  }

  void add_token(SpelledText& spelled, std::string_view text, const Token& token, bool is_quoted) const {
    if (is_ignored(spelled.words.empty() ? nullptr : &spelled.words.back(), token, is_quoted)) return;
    QueryWord word;
    word.terms.reserve(3);  // most words have one stem
    word.terms.emplace_back(token.exact);
    word.typed = text.substr(token.begin, token.end - token.begin);
    // Words of some scripts (Korean) have a stem in any language.
    if (token.role != Token::Role::SingleCharacter && !(languages_.empty() && token.stem.empty()))
      add_forms(word, token);
    switch (token.role) {
      case Token::Role::Alternative:
        for (std::string& term : word.terms) append_unique(spelled.words.back().word.terms, std::move(term));
        break;
      case Token::Role::Piece:
        word.origin = WordOrigin::Spelling;
        spelled.words.back().pieces.push_back(std::move(word));
        break;
      case Token::Role::Joined: {
        word.origin = WordOrigin::Spelling;
        const auto first = std::find_if(spelled.words.begin(), spelled.words.end(),
                                        [&](const SpelledWord& each) { return each.begin >= token.begin; });
        spelled.joined.push_back(
            {std::move(word), static_cast<std::size_t>(first - spelled.words.begin()), spelled.words.size()});
        break;
      }
      default:
        // A lone character is a prefix query, so that it matches every pair that begins with it.
        word.prefix = token.role == Token::Role::SingleCharacter;
        spelled.words.push_back({std::move(word), token.begin});
    }
  }

  /// Adds the stems in a further language, in which the tokens are the same, in their order.
  void add_stems(SpelledText& spelled, std::string_view text, Language language, bool is_quoted) {
    std::size_t words = 0, pieces = 0, joined = 0;
    analyzer_.analyze(text, language, [&](const Token& token) {
      if (is_ignored(words == 0 ? nullptr : &spelled.words[words - 1], token, is_quoted)) return;
      if (token.is_word()) {
        ++words;
        pieces = 0;
      }
      SpelledWord& last = spelled.words[words - 1];
      switch (token.role) {
        case Token::Role::SingleCharacter: break;
        case Token::Role::Piece: add_forms(last.pieces[pieces++], token); break;
        case Token::Role::Joined: add_forms(spelled.joined[joined++].word, token); break;
        default: add_forms(last.word, token);
      }
    });
  }

  Analyzer& analyzer_;
  std::span<const Language> languages_;
  Query query_;
  std::size_t words_left_ = kMaxQueryWords;
  std::size_t last_word_ = kNoClause;  // clause of the last node, if that is a Word of one word
};

}  // namespace

Query analyze_query(Analyzer& analyzer, const model::QueryNode& root, std::span<const Language> languages) {
  return QueryBuilder(analyzer, languages).build(root);
}

std::optional<QueryWord> analyze_query_word(Analyzer& analyzer, std::string_view word,
                                            std::span<const Language> languages) {
  return QueryBuilder(analyzer, languages).build_word(word);
}

std::optional<std::string> analyze_single_word(Analyzer& analyzer, std::string_view text) {
  std::optional<std::string> word;
  std::size_t words = 0;
  analyzer.analyze(text, Language::None, [&](const Token& token) {
    if (!token.is_word()) return;
    if (words++ == 0) word = token.exact;
  });
  return words == 1 ? word : std::nullopt;
}

}  // namespace kbase::text
