// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/expression.hpp"

#include "adapters/fts5/token_stream.hpp"

namespace kbase::fts5 {
namespace {

/// What the exact form counts on top of any form of a word.
constexpr double kExactWeight = 0.2;

std::string joined(const std::vector<std::string>& parts, std::string_view by) {
  if (parts.size() == 1) return parts.front();
  std::string all = "(";
  for (const std::string& part : parts) {
    if (all.size() > 1) all += by;
    all += part;
  }
  return all + ")";
}

std::string in_quotes(const std::string& stream, bool prefix) {
  std::string text = "\"";
  for (const char c : stream) {
    if (c == '"') text += c;
    text += c;
  }
  return text + (prefix ? "\" *" : "\"");
}

class ExpressionText {
 public:
  Expression of(const text::Query& query) {
    std::vector<std::string> clauses;
    std::vector<std::string> phrases;
    std::vector<std::string> exclusions;
    for (const text::Clause& each : query.clauses) clauses.push_back(clause(each));
    for (const text::QueryPhrase& each : query.phrases) phrases.push_back(phrase(each, 1));
    for (const text::QueryPhrase& each : query.exclusions) exclusions.push_back(phrase(each, 0));

    expression_.clauses = clauses.size();
    expression_.all_words = with(clauses, " AND ", phrases, exclusions);
    expression_.any_word = with(clauses, " OR ", phrases, exclusions);
    return std::move(expression_);
  }

 private:
  static std::string with(const std::vector<std::string>& clauses, std::string_view by,
                          const std::vector<std::string>& phrases, const std::vector<std::string>& exclusions) {
    std::vector<std::string> wanted;
    if (!clauses.empty()) wanted.push_back(joined(clauses, by));
    wanted.insert(wanted.end(), phrases.begin(), phrases.end());
    const std::string text = joined(wanted, " AND ");
    return exclusions.empty() ? text : text + " NOT " + joined(exclusions, " OR ");
  }

  std::string clause(const text::Clause& each) {
    std::vector<std::string> alternatives;
    for (const auto& alternative : each.alternatives) {
      std::vector<std::string> parts;
      parts.reserve(alternative.size());
      for (const text::QueryPhrase& part : alternative) parts.push_back(word(part));
      alternatives.push_back(joined(parts, " AND "));
    }
    return joined(alternatives, " OR ");
  }

  /// A phrase of one word ranks its exact form a little higher.
  std::string word(const text::QueryPhrase& part) {
    std::string any_form = phrase(part, 1);
    if (part.size() > 1 || part.front().terms.size() == 1) return any_form;
    const text::QueryPhrase exact = {{{part.front().terms.front()}, false}};
    return "(" + any_form + " OR " + phrase(exact, kExactWeight) + ")";
  }

  /// Terms at one position are each other's alternatives to FTS5.
  std::string phrase(const text::QueryPhrase& words, double weight) {
    std::string stream;
    for (const text::QueryWord& each : words) {
      char where = kNextPosition;
      for (const std::string& term : each.terms) {
        append_term(stream, where, term);
        where = kSamePosition;
      }
    }
    expression_.phrase_weights.push_back(weight);
    return in_quotes(stream, words.back().prefix);
  }

  Expression expression_;
};

}  // namespace

Expression expression_of(const text::Query& query) {
  return ExpressionText().of(query);
}

}  // namespace kbase::fts5
