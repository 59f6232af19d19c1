// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/query.hpp"

#include <algorithm>

namespace kbase::text {
namespace {

using Kind = model::QueryNode::Kind;

template <class T> void append_unique(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

class QueryBuilder {
 public:
  QueryBuilder(Analyzer& analyzer, std::span<const Language> languages) : analyzer_(analyzer), languages_(languages) {}

  Query build(const model::QueryNode& root) {
    for (const model::QueryNode& node : root.children) add(node);
    return std::move(query_);
  }

 private:
  void add(const model::QueryNode& node) {
    switch (node.kind) {
      case Kind::AllOf:
        for (const model::QueryNode& child : node.children) add(child);
        break;
      case Kind::AnyOf: add_alternatives(node); break;
      case Kind::Not:
        for (const model::QueryNode& child : node.children) add_phrase(query_.exclusions, child);
        break;
      case Kind::Word:
        for (QueryPhrase& part : build_parts(node)) add_word(Clause{{{std::move(part)}}});
        break;
      case Kind::Prefix:
        if (QueryPhrase words = build_phrase(node); !words.empty())
          append_unique(query_.clauses, Clause{{{std::move(words)}}});
        break;
      case Kind::Phrase: add_phrase(query_.phrases, node); break;
    }
  }

  void add_word(Clause word) {
    const auto known = std::find(query_.clauses.begin(), query_.clauses.end(), word);
    if (known == query_.clauses.end())
      query_.clauses.push_back(std::move(word));
    else
      ++known->alternatives[0][0][0].times;
  }

  void add_phrase(std::vector<QueryPhrase>& list, const model::QueryNode& node) {
    if (QueryPhrase words = build_phrase(node); !words.empty()) append_unique(list, std::move(words));
  }

  void add_alternatives(const model::QueryNode& node) {
    Clause clause;
    for (const model::QueryNode& child : node.children) {
      std::vector<QueryPhrase> parts;
      if (child.kind == Kind::Word)
        parts = build_parts(child);
      else if (QueryPhrase words = build_phrase(child); !words.empty())
        parts.push_back(std::move(words));
      if (!parts.empty()) append_unique(clause.alternatives, std::move(parts));
    }
    if (!clause.alternatives.empty()) append_unique(query_.clauses, std::move(clause));
  }

  /// Returns one phrase per word of the node.
  std::vector<QueryPhrase> build_parts(const model::QueryNode& node) {
    std::vector<QueryPhrase> parts;
    for (QueryWord& word : analyze_words(node.text)) append_unique(parts, QueryPhrase{std::move(word)});
    return parts;
  }

  /// Returns the words of the node as one phrase.
  QueryPhrase build_phrase(const model::QueryNode& node) {
    QueryPhrase words = analyze_words(node.text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) words[i].prefix = false;
    for (QueryWord& word : words) word.quoted = node.kind == Kind::Phrase;
    if (node.kind == Kind::Prefix && !words.empty()) {
      words.back().terms.resize(1);
      words.back().prefix = true;
    }
    return words;
  }

  QueryPhrase analyze_words(std::string_view text) {
    QueryPhrase words;
    analyzer_.analyze(text, Language::None, [&words](const Token& token) {
      // A lone character is a prefix query, so that it matches every pair that begins with it.
      if (token.role != Token::Role::Part)
        words.push_back({{std::string(token.exact)}, token.role == Token::Role::SingleCharacter});
      else if (is_extension(words.back()))
        append_unique(words.back().terms, std::string(token.exact));
    });
    for (const Language language : languages_) add_stems(words, text, language);
    return words;
  }

  void add_stems(QueryPhrase& words, std::string_view text, Language language) {
    std::size_t seen = 0;
    analyzer_.analyze(text, language, [&words, &seen](const Token& token) {
      if (token.role != Token::Role::Part) ++seen;
      QueryWord& word = words[seen - 1];
      if (token.role == Token::Role::SingleCharacter || (token.role == Token::Role::Part && !is_extension(word)))
        return;
      for (const std::string_view stem : {token.stem.empty() ? token.exact : token.stem, token.stem_of_exact}) {
        if (stem.empty()) continue;
        append_unique(word.terms, std::string(stem));
        append_unique(word.terms, kStemMark + std::string(stem));
      }
    });
  }

  /// `.NET` and `.json` also match the word after the dot, because items contain both `data.json` and "JSON".
  static bool is_extension(const QueryWord& word) { return word.terms.front().starts_with('.'); }

  Analyzer& analyzer_;
  std::span<const Language> languages_;
  Query query_;
};

}  // namespace

Query analyze_query(Analyzer& analyzer, const model::QueryNode& root, std::span<const Language> languages) {
  return QueryBuilder(analyzer, languages).build(root);
}

std::optional<std::string> analyze_single_word(Analyzer& analyzer, std::string_view text) {
  std::optional<std::string> word;
  std::size_t words = 0;
  analyzer.analyze(text, Language::None, [&](const Token& token) {
    if (token.role == Token::Role::Part) return;
    if (words++ == 0) word = token.exact;
  });
  return words == 1 ? word : std::nullopt;
}

}  // namespace kbase::text
