// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/excerpt.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "adapters/text/excerpt_line.hpp"
#include "domain/base/text.hpp"
#include "domain/model/item.hpp"

namespace kbase::text {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr std::size_t kWindowCodePoints = model::kExcerptCodePoints - 2;  // leaves space for an ellipsis at both ends

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

/// Returns the number of code points as ColumnCounter, at most about `max`.
std::size_t count_columns(std::string_view text, std::size_t max) {
  constexpr std::size_t kMaxBytes = 4;  // of a code point
  return ColumnCounter(text).column(std::min(text.size(), max * kMaxBytes));
}

std::string beginning_of(const ExcerptSource& source) {
  std::string line = remove_invalid_utf8(model::excerpt_of(source.text));
  if (!source.is_cut_off || line.ends_with(kEllipsis)) return line;
  line.resize(utf8::prefix(line, model::kExcerptCodePoints - 1).size());
  return line += kEllipsis;
}

}  // namespace

ExcerptSource::ExcerptSource(std::string_view bytes, std::size_t from, bool begins_in_word, std::size_t content_bytes)
    : text(bytes), begin(from), is_cut_off(from + bytes.size() < content_bytes) {
  // In bytes. A longer run is text without blanks, which is cut between characters.
  constexpr std::size_t kMaxCutWord = 64;
  if (begins_in_word) {
    std::size_t skipped = 0;
    while (skipped < text.size() && skipped < kMaxCutWord && !is_blank(text[skipped])) ++skipped;
    if (skipped == kMaxCutWord)
      for (skipped = 0; skipped < text.size() && is_continuation(text[skipped]);) ++skipped;
    while (skipped < text.size() && is_blank(text[skipped])) ++skipped;
    text.remove_prefix(skipped);
    begin += skipped;
  }
  if (!is_cut_off) return;
  std::size_t kept = text.size();
  while (kept > 0 && text.size() - kept < kMaxCutWord && !is_blank(text[kept - 1])) --kept;
  if (text.size() - kept == kMaxCutWord) {
    kept = text.size();
    while (kept > 0 && is_continuation(text[kept - 1])) --kept;
    if (kept > 0) --kept;  // the first byte of the last character
  }
  text = text.substr(0, kept);
}

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
  /// Whether the words follow each other. Pairs of characters overlap.
  bool are_adjacent(const Match& a, const Match& b) const {
    constexpr std::size_t kMarks = 8;  // bytes
    if (b.begin > a.begin && b.begin < a.end && b.end > a.end) return true;
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

Excerpt ExcerptMaker::make(Analyzer& analyzer, const ExcerptSource& source, Language language,
                           std::size_t most_words) const {
  const std::vector<Match> matches = find_matches(analyzer, source.text, language, most_words);
  if (matches.empty()) return {beginning_of(source)};
  const auto [first, last] = best_window(matches, words_ + phrases_.size());
  const Match& front = matches[first];
  const Match& back = matches[last - 1];
  const std::size_t match = source.begin + front.begin;
  if (source.begin == 0 && back.last_column < model::kExcerptCodePoints) return {beginning_of(source), match};

  const std::size_t span = std::min(kWindowCodePoints, back.last_column - front.column);
  std::size_t before = (kWindowCodePoints - span) / 2;
  if (source.is_cut_off) {
    // A part that ends soon after the words has less text behind them, so more before them is shown.
    const std::size_t behind = count_columns(source.text.substr(back.end), kWindowCodePoints);
    before = std::max(before, kWindowCodePoints - std::min(kWindowCodePoints, span + behind));
  }
  const std::size_t start = word_start_before(source.text, front.begin, before);
  std::string line;
  if (source.begin + start > 0) line = kEllipsis;
  const bool is_cut = append_line(line, source.text.substr(start), kWindowCodePoints, back.end - start);
  if (is_cut || source.is_cut_off) line += kEllipsis;
  return {remove_invalid_utf8(std::move(line)), match};
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
