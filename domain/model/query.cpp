// SPDX-License-Identifier: Apache-2.0
#include "domain/model/query.hpp"

#include <optional>

#include "domain/base/text.hpp"

namespace kbase::model {
namespace {

using Kind = QueryNode::Kind;

/// Splits `q` into operands. parse_query combines them into the tree.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) { skip_space(); }

  bool done() const { return rest_.empty(); }

  /// Consumes the operator OR if it joins two operands: not in first or last position, and not before an exclusion.
  bool skip_or_operator() {
    Scanner ahead = *this;
    if (ahead.token() != "OR" || ahead.done() || ahead.at_exclusion()) return false;
    *this = ahead;
    return true;
  }

  QueryNode operand() {
    const bool excluded = at_exclusion();
    if (excluded) rest_.remove_prefix(1);
    std::optional<QueryNode> node = phrase();
    if (!node) node = word();
    if (!excluded) return *std::move(node);
    return QueryNode{Kind::Not, {}, {*std::move(node)}};
  }

 private:
  /// Consumes a quoted phrase. nullopt, and nothing consumed: there is no closing quote.
  std::optional<QueryNode> phrase() {
    if (rest_.empty() || rest_.front() != '"') return std::nullopt;
    const std::size_t end = rest_.find('"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    QueryNode node{Kind::Phrase, std::string(utf8::trimmed(rest_.substr(1, end - 1))), {}};
    rest_.remove_prefix(end + 1);
    skip_space();
    return node;
  }

  QueryNode word() {
    std::string_view text = token();
    if (text.size() > 1 && text.ends_with('*') && text.find('*') == text.size() - 1) {
      text.remove_suffix(1);
      return {Kind::Prefix, std::string(text), {}};
    }
    return {Kind::Word, std::string(text), {}};
  }

  /// Consumes the text up to white space or a quote that opens a phrase.
  std::string_view token() {
    std::size_t end = 0;
    while (end < rest_.size() && !is_space_at(end)) {
      if (rest_[end] == '"' && rest_.find('"', end + 1) != std::string_view::npos) break;
      ++end;
    }
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_space();
    return text;
  }

  /// Whether the next character is a minus that excludes an operand. Any other minus is text.
  bool at_exclusion() const { return rest_.size() > 1 && rest_[0] == '-' && !is_space_at(1); }

  bool is_space_at(std::size_t i) const { return utf8::space_length(rest_.substr(i)) != 0; }

  void skip_space() {
    while (const std::size_t length = utf8::space_length(rest_)) rest_.remove_prefix(length);
  }

  std::string_view rest_;
};

}  // namespace

Result<QueryNode> parse_query(std::string_view q) {
  if (!utf8::is_valid(q)) return invalid_argument("q", "q must be valid UTF-8");
  q = utf8::trimmed(q);
  const std::size_t length = utf8::code_points(q);
  if (length < kMinQueryCodePoints) return invalid_argument("q", "q must have at least 2 characters");
  if (length > kMaxQueryCodePoints) return invalid_argument("q", "q must have at most 512 characters");

  QueryNode root;
  for (Scanner scanner(q); !scanner.done();) {
    const bool joined = !root.children.empty() && root.children.back().kind != Kind::Not && scanner.skip_or_operator();
    QueryNode operand = scanner.operand();
    if (!joined) {
      root.children.push_back(std::move(operand));
      continue;
    }
    QueryNode& last = root.children.back();
    if (last.kind != Kind::AnyOf) last = QueryNode{Kind::AnyOf, {}, {std::move(last)}};
    last.children.push_back(std::move(operand));
  }
  return root;
}

}  // namespace kbase::model
