// SPDX-License-Identifier: Apache-2.0
#include "domain/model/query.hpp"

#include <array>
#include <iterator>
#include <optional>
#include <span>

#include "domain/base/text.hpp"

namespace kbase::model {
namespace {

using Kind = QueryNode::Kind;

/// Quotation marks of one kind (Unicode property Quotation_Mark). A phrase begins with any of `opening` and ends with
/// any of `closing`.
struct QuotationMarks {
  std::span<const std::string_view> opening, closing;
  /// The marks also stand for inches or an apostrophe: a phrase does not begin after a digit, or after a letter.
  bool is_ambiguous_after_digit = false, is_ambiguous_after_letter = false;
};

using Marks = std::string_view[];
constexpr Marks kDouble = {"\"", "“", "”", "„", "‟", "〝", "〞", "〟", "＂"}, kGuillemets = {"«", "»"},
                kSingleGuillemets = {"‹", "›"}, kOpeningCorner = {"「", "｢", "﹁"}, kClosingCorner = {"」", "｣", "﹂"},
                kOpeningWhiteCorner = {"『", "﹃"}, kClosingWhiteCorner = {"』", "﹄"},
                kOpeningSingle = {"‘", "‚", "‛"}, kClosingSingle = {"’", "‘"};
constexpr QuotationMarks kQuotationMarks[] = {
    {kDouble, kDouble, true, false},
    {kGuillemets, kGuillemets},
    {kSingleGuillemets, kSingleGuillemets},
    {kOpeningCorner, kClosingCorner},
    {kOpeningWhiteCorner, kClosingWhiteCorner},
    {kOpeningSingle, kClosingSingle, true, true},
};

/// Returns the length in bytes of the mark of `marks` at the start of `text`; 0: it begins with another character.
std::size_t mark_length(std::span<const std::string_view> marks, std::string_view text) {
  for (const std::string_view mark : marks)
    if (text.starts_with(mark)) return mark.size();
  return 0;
}

/// A quoted text, and its length in bytes with its marks.
struct Quoted {
  std::string_view text;
  std::size_t length = 0;
};

/// Finds the phrases of one text. Asked for ascending positions, it takes time linear in the text.
class QuotedPhrases {
 public:
  explicit QuotedPhrases(std::string_view text) : text_(text) {}

  /// Returns the phrase that begins at `at`; nullopt: none does.
  std::optional<Quoted> find(std::size_t at) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const QuotationMarks& marks = kQuotationMarks[kind];
      const std::size_t opening = mark_length(marks.opening, text_.substr(at));
      if (opening == 0 || may_continue_word(marks, at)) continue;
      const std::size_t begin = at + opening, end = find_closing(kind, begin);
      if (end == std::string_view::npos) continue;
      return Quoted{text_.substr(begin, end - begin), end + mark_length(marks.closing, text_.substr(end)) - at};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kKinds = std::size(kQuotationMarks);

  bool may_continue_word(const QuotationMarks& marks, std::size_t at) const {
    if (at == 0) return false;
    const char before = text_[at - 1];
    return (marks.is_ambiguous_after_digit && ascii::is_digit(before)) ||
           (marks.is_ambiguous_after_letter && utf8::may_be_in_word(before));
  }

  std::size_t find_closing(std::size_t kind, std::size_t begin) {
    if (unclosed_[kind]) return std::string_view::npos;
    const QuotationMarks& marks = kQuotationMarks[kind];
    for (std::size_t at = begin; at < text_.size(); ++at) {
      const std::size_t length = mark_length(marks.closing, text_.substr(at));
      if (length == 0) continue;
      const std::size_t after = at + length;
      const bool is_apostrophe =
          marks.is_ambiguous_after_letter && after < text_.size() && utf8::may_be_in_word(text_[after]);
      if (!is_apostrophe) return at;
    }
    unclosed_[kind] = true;
    return std::string_view::npos;
  }

  std::string_view text_;
  std::array<bool, kKinds> unclosed_{};  // no closing mark follows
};

/// Splits `q` into operands. parse_query combines them into the tree.
class Scanner {
 public:
  explicit Scanner(std::string_view q) : q_(q), phrases_(q) { skip_space(); }

  bool done() const { return at_ == q_.size(); }

  /// Consumes the operator OR if it joins two operands: not in first or last position, and not before an exclusion.
  bool skip_or_operator() {
    Scanner ahead = *this;
    if (ahead.token() != "OR" || ahead.done() || ahead.at_exclusion()) return false;
    *this = ahead;
    return true;
  }

  QueryNode operand() {
    const bool excluded = at_exclusion();
    if (excluded) ++at_;
    std::optional<QueryNode> node = phrase();
    if (!node) node = word();
    if (!excluded) return *std::move(node);
    return QueryNode{Kind::Not, {}, {*std::move(node)}};
  }

 private:
  /// Consumes a quoted phrase. nullopt, and nothing consumed: no phrase begins here.
  std::optional<QueryNode> phrase() {
    const auto quoted = phrases_.find(at_);
    if (!quoted) return std::nullopt;
    at_ += quoted->length;
    skip_space();
    return QueryNode{Kind::Phrase, std::string(utf8::trimmed(quoted->text)), {}};
  }

  QueryNode word() {
    std::string_view text = token();
    if (text.size() > 1 && text.ends_with('*') && text.find('*') == text.size() - 1) {
      text.remove_suffix(1);
      return {Kind::Prefix, std::string(text), {}};
    }
    return {Kind::Word, std::string(text), {}};
  }

  /// Consumes the text up to white space or a phrase.
  std::string_view token() {
    const std::size_t end = token_end(at_);
    const std::string_view text = q_.substr(at_, end - at_);
    at_ = end;
    skip_space();
    return text;
  }

  std::size_t token_end(std::size_t begin) {
    std::size_t end = begin;
    while (end < q_.size() && !is_space_at(end) && (end == begin || !phrases_.find(end))) ++end;
    return end;
  }

  /// Whether the next character is a minus that excludes an operand: after white space, and before a phrase or a word
  /// of three or more characters that does not begin with a digit or another minus. Any other minus is text: people
  /// paste command lines.
  bool at_exclusion() {
    if (done() || q_[at_] != '-' || at_ + 1 == q_.size() || is_space_at(at_ + 1)) return false;
    if (at_ > 0 && !is_space_before()) return false;
    if (phrases_.find(at_ + 1)) return true;
    const std::string_view word = q_.substr(at_ + 1, token_end(at_ + 1) - at_ - 1);
    constexpr std::size_t kShortest = 3;  // code points
    return word.front() != '-' && !ascii::is_digit(word.front()) && utf8::code_points(word) >= kShortest;
  }

  bool is_space_at(std::size_t i) const { return utf8::space_length(q_.substr(i)) != 0; }
  bool is_space_before() const { return space_end_ == at_; }

  void skip_space() {
    while (const std::size_t length = utf8::space_length(q_.substr(at_))) space_end_ = at_ += length;
  }

  std::string_view q_;
  QuotedPhrases phrases_;
  std::size_t at_ = 0;
  std::size_t space_end_ = 0;  // end of the last white space that was skipped
};

/// Makes a Prefix of the last word.
void shorten_last_word(QueryNode& root) {
  if (root.children.empty()) return;
  QueryNode* last = &root.children.back();
  if (last->kind == Kind::AnyOf) last = &last->children.back();
  if (last->kind == Kind::Word) last->kind = Kind::Prefix;
}

}  // namespace

Result<QueryNode> parse_query(std::string_view q, LastWord last) {
  if (!utf8::is_valid(q)) return invalid_argument("q", "q must be valid UTF-8");
  const bool is_ended = utf8::trimmed(q).end() != q.end();
  q = utf8::trimmed(q);
  const std::size_t length = utf8::code_points(q);
  if (length < kMinQueryCodePoints) return invalid_argument("q", "q must have at least 2 characters");
  if (length > kMaxQueryCodePoints)
    return invalid_argument("q", "q must have at most " + std::to_string(kMaxQueryCodePoints) + " characters");

  QueryNode root;
  for (Scanner scanner(q); !scanner.done();) {
    const bool joined = !root.children.empty() && root.children.back().kind != Kind::Not && scanner.skip_or_operator();
    QueryNode operand = scanner.operand();
    if (!joined) {
      root.children.push_back(std::move(operand));
      continue;
    }
    QueryNode& joined_by_or = root.children.back();
    if (joined_by_or.kind != Kind::AnyOf) joined_by_or = QueryNode{Kind::AnyOf, {}, {std::move(joined_by_or)}};
    joined_by_or.children.push_back(std::move(operand));
  }
  if (last == LastWord::Beginning && !is_ended) shorten_last_word(root);
  return root;
}

}  // namespace kbase::model
