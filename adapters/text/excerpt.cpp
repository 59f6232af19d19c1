// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/excerpt.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "domain/base/text.hpp"
#include "domain/model/item.hpp"

namespace kbase::text {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kWindowCodePoints = model::kExcerptCodePoints - 2;  // leaves space for an ellipsis at both ends

// White space by the definition of model::excerpt_of.
bool is_blank(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; }

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

/// Counts the code points of a text from its start. A run of white space counts as one.
class ColumnCounter {
 public:
  explicit ColumnCounter(std::string_view text) : text_(text) {}

  /// Returns the number of code points before the byte `to`, which must not decrease between calls.
  std::size_t column(std::size_t to) {
    for (; at_ + sizeof(std::uint64_t) <= to; at_ += sizeof(std::uint64_t)) count_eight();
    for (; at_ < to; ++at_) {
      const bool blank = is_blank(text_[at_]);
      if (blank ? !after_blank_ : !is_continuation(text_[at_])) ++column_;
      after_blank_ = blank;
    }
    return column_;
  }

 private:
  /// Counts eight bytes at a time; the top bit of each byte holds its result (SWAR).
  void count_eight() {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kTops = 0x80 * kOnes;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text_.data() + at_, sizeof(bytes));
    const std::uint64_t low = bytes & ~kTops;
    const std::uint64_t above_space = (low + (0x7F - 0x20) * kOnes) | bytes;
    const std::uint64_t is_delete = (low + kOnes) & ~bytes;
    const std::uint64_t blank = (~above_space | is_delete) & kTops;
    const std::uint64_t continuation = bytes & ~(bytes << 1) & kTops;
    const std::uint64_t first_blank = blank & ~(blank << 8 | (after_blank_ ? 0x80 : 0));
    const std::uint64_t counted = first_blank | (~(blank | continuation) & kTops);
    column_ += (counted >> 7) * kOnes >> 56;
    after_blank_ = blank >> 63 != 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t column_ = 0;
  bool after_blank_ = true;  // initially true, so that leading white space does not count
};

/// Returns the matches [first, last) of the first window with the most distinct words.
template <class Match>
std::pair<std::size_t, std::size_t> best_window(const std::vector<Match>& matches, std::size_t words) {
  std::vector<std::size_t> seen(words, 0);
  std::size_t distinct = 0;
  std::size_t most = 0;
  std::pair<std::size_t, std::size_t> best{0, 1};
  std::size_t last = 0;
  for (std::size_t first = 0; first < matches.size(); ++first) {
    for (; last < matches.size() && matches[last].last_column - matches[first].column <= kWindowCodePoints; ++last)
      if (seen[matches[last].word]++ == 0) ++distinct;
    if (distinct > most) {
      most = distinct;
      best = {first, std::max(last, first + 1)};
    }
    if (last <= first)
      last = first + 1;  // a single word longer than the window
    else if (--seen[matches[first].word] == 0)
      --distinct;
  }
  return best;
}

/// Moves back from `from` by at most `count` code points to the earliest start of a word. Returns the position `count`
/// code points back if there is no start of a word.
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

/// Appends `text` as one line of at most `max_code_points` code points, cut at a word boundary that is not before the
/// byte `min_end`. Returns whether the text was cut.
bool append_line(std::string& line, std::string_view text, std::size_t max_code_points, std::size_t min_end) {
  std::size_t border = 0;  // size of `line` at the last word boundary where it may be cut
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i;
    while (next < text.size() && is_blank(text[next])) ++next;
    if (next == text.size()) return false;
    const bool blank = next != i;
    if (blank && i >= min_end) border = line.size();
    if (max_code_points == 0) {
      if (border != 0) line.resize(border);
      return true;
    }
    if (blank) {
      line += ' ';
      i = next;
      --max_code_points;
      continue;
    }
    const std::size_t run = utf8::graphic_ascii_length(text.substr(i, max_code_points));
    const std::size_t bytes = run > 0 ? run : std::max<std::size_t>(1, utf8::sequence_length(text.substr(i)));
    line.append(text, i, bytes);
    i += bytes;
    max_code_points -= std::max<std::size_t>(1, run);
  }
  return false;
}

/// Removes invalid UTF-8. Stored text may be damaged, but the result must be valid.
std::string remove_invalid_utf8(std::string line) {
  if (utf8::is_valid(line)) return line;
  std::string kept;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t bytes = utf8::sequence_length(std::string_view(line).substr(i));
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
  for (const auto* const phrases : {&query.phrases, &query.together})
    for (const QueryPhrase& phrase : *phrases) add_whole(phrase);
}

void ExcerptMaker::add(const QueryPhrase& phrase) {
  for (const QueryWord& word : phrase) {
    if (find_word(word) != nullptr) continue;
    for (const std::string& term : word.terms) {
      const bool stem = term.front() == kStemMark;
      TermTable& table = word.prefix ? prefixes_ : stem ? stems_ : exact_;
      const std::string text = stem ? term.substr(1) : term;
      table.by_first[static_cast<unsigned char>(text.front())].push_back({text, words_, &term == &word.terms.front()});
      prefix_set_.add(text);
    }
    ++words_;
  }
}

void ExcerptMaker::add_whole(const QueryPhrase& phrase) {
  if (phrase.size() < 2) return;
  std::vector<std::size_t> words;
  for (const QueryWord& word : phrase)
    if (const Term* const term = find_word(word)) words.push_back(term->word);
  if (words.size() == phrase.size()) phrases_.push_back(std::move(words));
}

/// Returns the exact form of an earlier word with the same terms, which matches first everywhere; null if no word has
/// them.
const ExcerptMaker::Term* ExcerptMaker::find_word(const QueryWord& word) const {
  const std::string& exact = word.terms.front();
  const auto& terms = (word.prefix ? prefixes_ : exact_).by_first[static_cast<unsigned char>(exact.front())];
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const Term& term) { return term.is_first && term.text == exact; });
  return found == terms.end() ? nullptr : &*found;
}

const ExcerptMaker::Term* ExcerptMaker::find_term(const Token& token) const {
  if (const Term* term = exact_.find(token.exact)) return term;
  for (const std::string_view stem : token.stems())
    if (const Term* const term = stem.empty() ? nullptr : stems_.find(stem)) return term;
  return prefixes_.find(token.exact);
}

/// Collects matches, and stops once no later match can be part of the best window: after the first window that contains
/// as many distinct words as possible.
class ExcerptMaker::MatchCollector {
 public:
  MatchCollector(const ExcerptMaker& maker, std::string_view content, std::size_t most_words)
      : maker_(maker),
        most_words_(most_words),
        content_(content),
        start_columns_(content),
        seen_(maker.words_ + maker.phrases_.size(), 0) {}

  Visit add(const Token& token) {
    if (is_complete_ && start_columns_.column(std::max(token.begin, reached_)) > end_) return Visit::Stop;
    const Term* const term = maker_.find_term(token);
    if (term == nullptr) return Visit::Continue;
    matches_.push_back({token.begin, token.end, 0, 0, term->word});
    // Parts are emitted after the whole word, so their offset may be before the position of the column counter.
    reached_ = std::max(reached_, token.begin);
    end_of_all_ = std::max(end_of_all_, token.end);
    if (!is_complete_) update_window(start_columns_.column(reached_));
    const std::size_t last = matches_.size() - 1;
    for (std::size_t i = 0; i < maker_.phrases_.size() && !is_complete_; ++i) {
      const auto begin = begin_of(maker_.phrases_[i], last);
      if (!begin) continue;
      matches_.push_back({*begin, token.end, 0, 0, maker_.words_ + i});
      update_window(start_columns_.column(reached_));
    }
    return Visit::Continue;
  }

  std::vector<Match> take_matches() { return std::move(matches_); }

 private:
  /// Returns where the phrase begins if the matches up to `at` are its words, one after the other.
  std::optional<std::size_t> begin_of(const std::vector<std::size_t>& words, std::size_t at) const {
    constexpr std::size_t kBetween = 6;  // matches of parts and of other forms, which lie between two words
    if (matches_[at].word != words.back()) return std::nullopt;
    for (std::size_t i = words.size() - 1; i > 0; --i) {
      const std::size_t first = at - std::min(at, kBetween);
      std::size_t before = at;
      do {
        if (before == first) return std::nullopt;
        --before;
      } while (matches_[before].word != words[i - 1] || !are_adjacent(matches_[before], matches_[at]));
      at = before;
    }
    return matches_[at].begin;
  }
  bool are_adjacent(const Match& a, const Match& b) const {
    constexpr std::size_t kMarks = 8;  // bytes
    if (b.begin < a.end || b.begin - a.end > kMarks) return false;
    const std::string_view between = content_.substr(a.end, b.begin - a.end);
    return std::none_of(between.begin(), between.end(), utf8::may_be_in_word);
  }

  /// Updates the window that ends at the last match, and checks whether it contains all words. Uses the bytes of the
  /// last match, an upper bound of its code points: a window that seems too long only delays the stop.
  void update_window(std::size_t column) {
    columns_.push_back(column);
    if (seen_[matches_.back().word]++ == 0) ++distinct_;
    const std::size_t end = column + (end_of_all_ - reached_);
    for (; first_ < columns_.size() && columns_[first_] + kWindowCodePoints < end; ++first_)
      if (--seen_[matches_[first_].word] == 0) --distinct_;
    is_complete_ = distinct_ >= most_words_;
    if (is_complete_) end_ = columns_[first_] + 2 * kWindowCodePoints;
  }

  const ExcerptMaker& maker_;
  std::size_t most_words_;  // maximum number of distinct words in a window
  std::string_view content_;
  ColumnCounter start_columns_;
  std::vector<Match> matches_;
  std::vector<std::size_t> columns_;  // columns of the starts of the matches
  std::vector<std::size_t> seen_;     // number of matches of each word, from first_ on
  std::size_t first_ = 0;
  std::size_t distinct_ = 0;
  std::size_t reached_ = 0;
  std::size_t end_of_all_ = 0;
  std::size_t end_ = 0;
  bool is_complete_ = false;
};

std::vector<ExcerptMaker::Match> ExcerptMaker::find_matches(Analyzer& analyzer, std::string_view content,
                                                            Language language, std::size_t most_words) const {
  most_words = std::min(most_words, words_);
  if (most_words == 0) return {};
  most_words += phrases_.size();
  MatchCollector collector(*this, content, most_words);
  analyzer.find(content, language, prefix_set_, [&collector](const Token& token) { return collector.add(token); });
  std::vector<Match> matches = collector.take_matches();
  // Parts are emitted after the whole word, and phrases end with their last word.
  std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.begin < b.begin; });
  ColumnCounter begins(content);
  for (Match& match : matches) match.column = begins.column(match.begin);
  ColumnCounter ends(content);
  std::size_t reached = 0;
  for (Match& match : matches) {
    reached = std::max(reached, match.end);
    match.last_column = ends.column(reached);
  }
  return matches;
}

Excerpt ExcerptMaker::make(Analyzer& analyzer, std::string_view content, Language language,
                           std::size_t most_words) const {
  const std::vector<Match> matches = find_matches(analyzer, content, language, most_words);
  if (matches.empty()) return {remove_invalid_utf8(model::excerpt_of(content))};
  const auto [first, last] = best_window(matches, words_ + phrases_.size());
  const Match& front = matches[first];
  const Match& back = matches[last - 1];
  if (back.last_column < model::kExcerptCodePoints)
    return {remove_invalid_utf8(model::excerpt_of(content)), front.begin};

  const std::size_t span = std::min(kWindowCodePoints, back.last_column - front.column);
  const std::size_t start = word_start_before(content, front.begin, (kWindowCodePoints - span) / 2);
  std::string line(kEllipsis);
  if (append_line(line, content.substr(start), kWindowCodePoints, back.end - start)) line += kEllipsis;
  return {remove_invalid_utf8(std::move(line)), front.begin};
}

std::vector<model::Highlight> ExcerptMaker::highlights(Analyzer& analyzer, std::string_view text,
                                                       ItemLanguages languages) const {
  std::vector<model::Highlight> highlights;
  if (words_ == 0) return highlights;
  const auto add = [&](const Token& token) {
    if (find_term(token) != nullptr)
      highlights.push_back({static_cast<std::uint32_t>(token.begin), static_cast<std::uint32_t>(token.end)});
    return Visit::Continue;
  };
  analyzer.find(text, languages.content, prefix_set_, add);
  if (languages.title != Language::None) analyzer.find(text, languages.title, prefix_set_, add);
  // Parts are emitted after the whole word.
  std::sort(highlights.begin(), highlights.end(),
            [](const model::Highlight& a, const model::Highlight& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const model::Highlight& mark : highlights)
    if (kept > 0 && mark.begin <= highlights[kept - 1].end)
      highlights[kept - 1].end = std::max(highlights[kept - 1].end, mark.end);
    else
      highlights[kept++] = mark;
  highlights.resize(kept);
  return highlights;
}

}  // namespace kbase::text
