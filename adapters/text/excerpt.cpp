// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/excerpt.hpp"

#include <algorithm>

#include "domain/model/item.hpp"
#include "domain/model/utf8.hpp"

namespace kbase::text {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kRoom = model::kExcerptCodePoints - 2;  // beside an ellipsis at both ends

// As model::lead_of sees it.
bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

/// Counts the code points of a text from its start, runs of white space as one.
class Ruler {
 public:
  explicit Ruler(std::string_view text) : text_(text) {}

  /// Those before the byte `to`, which never goes back.
  std::size_t column(std::size_t to) {
    for (; at_ < to; ++at_) {
      const bool blank = is_blank(text_[at_]);
      if (blank ? !after_blank_ : !is_continuation(text_[at_])) ++column_;
      after_blank_ = blank;
    }
    return column_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  bool after_blank_ = true;  // so that white space at the start counts nothing
};

/// The matches [first, last) of the window that has most distinct words; the first such.
template <class Match>
std::pair<std::size_t, std::size_t> best_window(const std::vector<Match>& matches, std::size_t words) {
  std::vector<std::size_t> seen(words, 0);
  std::size_t distinct = 0;
  std::size_t most = 0;
  std::pair<std::size_t, std::size_t> best{0, 1};
  std::size_t last = 0;
  for (std::size_t first = 0; first < matches.size(); ++first) {
    for (; last < matches.size() && matches[last].last_column - matches[first].column <= kRoom; ++last)
      if (seen[matches[last].word]++ == 0) ++distinct;
    if (distinct > most) {
      most = distinct;
      best = {first, std::max(last, first + 1)};
    }
    if (last <= first)
      last = first + 1;  // one word longer than a window
    else if (--seen[matches[first].word] == 0)
      --distinct;
  }
  return best;
}

/// Goes back from `from` by at most `count` code points to where a word begins, or as far as that where none does.
std::size_t word_start_before(std::string_view text, std::size_t from, std::size_t count) {
  std::size_t start = from;
  std::size_t border = from;
  bool bordered = from == 0 || is_blank(text[from - 1]);
  for (; count > 0 && start > 0; --count) {
    --start;
    while (start > 0 && is_continuation(text[start])) --start;
    if (start == 0 || (is_blank(text[start - 1]) && !is_blank(text[start]))) {
      border = start;
      bordered = true;
    }
  }
  return bordered ? border : start;
}

/// Appends `text` as one line of at most `room` code points, cut at a word border that is not before the byte `keep`.
/// Returns whether something was cut.
bool append_line(std::string& line, std::string_view text, std::size_t room, std::size_t keep) {
  std::size_t border = 0;  // bytes of `line` up to the last word border that may be cut at
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i;
    while (next < text.size() && is_blank(text[next])) ++next;
    if (next == text.size()) return false;
    const bool blank = next != i;
    if (blank && i >= keep) border = line.size();
    if (room == 0) {
      if (border != 0) line.resize(border);
      return true;
    }
    const std::size_t bytes = blank ? 0 : std::max<std::size_t>(1, model::utf8::sequence_length(text.substr(i)));
    if (blank)
      line += ' ';
    else
      line.append(text, i, bytes);
    i = blank ? next : i + bytes;
    --room;
  }
  return false;
}

/// Stored text may be damaged; an answer is not.
std::string valid(std::string line) {
  if (model::utf8::is_valid(line)) return line;
  std::string kept;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t bytes = model::utf8::sequence_length(std::string_view(line).substr(i));
    kept.append(line, i, bytes);
    i += std::max<std::size_t>(1, bytes);
  }
  return kept;
}

}  // namespace

const ExcerptMaker::Term* ExcerptMaker::TermTable::find(std::string_view text) const {
  for (const Term& term : by_first[static_cast<unsigned char>(text.front())])
    if (prefixes ? text.starts_with(term.text) : text == term.text) return &term;
  return nullptr;
}

ExcerptMaker::ExcerptMaker(const Query& query) {
  prefixes_.prefixes = true;
  for (const Clause& clause : query.clauses)
    for (const auto& alternative : clause.alternatives)
      for (const QueryPhrase& phrase : alternative) add(phrase);
  for (const QueryPhrase& phrase : query.phrases) add(phrase);
}

void ExcerptMaker::add(const QueryPhrase& phrase) {
  for (const QueryWord& word : phrase) {
    for (const std::string& term : word.terms) {
      const bool stem = term.front() == kStemMark;
      TermTable& table = word.prefix ? prefixes_ : stem ? stems_ : exact_;
      const std::string text = stem ? term.substr(1) : term;
      table.by_first[static_cast<unsigned char>(text.front())].push_back({text, words_});
    }
    ++words_;
  }
}

std::vector<ExcerptMaker::Match> ExcerptMaker::matches_in(Analyzer& analyzer, std::string_view content,
                                                          Language language) const {
  std::vector<Match> matches;
  analyzer.analyze(content, language, [&](const Token& token) {
    const Term* term = exact_.find(token.exact);
    if (term == nullptr && !token.stem.empty()) term = stems_.find(token.stem);
    if (term == nullptr) term = prefixes_.find(token.exact);
    if (term == nullptr) return;
    matches.push_back({token.begin, token.end, 0, 0, term->word});
  });
  // Parts follow the whole that they lie in.
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.begin < b.begin; });
  Ruler begins(content);
  for (Match& match : matches) match.column = begins.column(match.begin);
  Ruler ends(content);
  std::size_t reached = 0;
  for (Match& match : matches) {
    reached = std::max(reached, match.end);
    match.last_column = ends.column(reached);
  }
  return matches;
}

std::string ExcerptMaker::make(Analyzer& analyzer, std::string_view content, Language language) const {
  const std::vector<Match> matches = matches_in(analyzer, content, language);
  if (matches.empty()) return valid(model::lead_of(content));
  const auto [first, last] = best_window(matches, words_);
  const Match& front = matches[first];
  const Match& back = matches[last - 1];
  if (back.last_column < model::kExcerptCodePoints) return valid(model::lead_of(content));

  const std::size_t span = std::min(kRoom, back.last_column - front.column);
  const std::size_t start = word_start_before(content, front.begin, (kRoom - span) / 2);
  std::string line(kEllipsis);
  if (append_line(line, content.substr(start), kRoom, back.end - start)) line += kEllipsis;
  return valid(std::move(line));
}

}  // namespace kbase::text
