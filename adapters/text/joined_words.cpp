// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/joined_words.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

std::size_t size_of(const JoinedWords::Range& word) { return word.end - word.begin; }

/// Returns the mark that `between` is, in ASCII; '\0': it does not join words.
char joining_mark(std::string_view between) {
  constexpr std::string_view kMarks = "-_'.:,";
  if (between.size() == 1) return kMarks.find(between.front()) != std::string_view::npos ? between.front() : '\0';
  if (between == "\u2010" || between == "\u2011") return '-';
  return between == "\u2019" || between == "\u02BC" ? '\'' : '\0';
}

}  // namespace

JoinedWords::Words JoinedWords::add(std::size_t begin, std::size_t end) {
  char mark = '\0';
  const bool is_continued = continues(begin, mark);
  last_end_ = end;
  if (is_continued) {
    if (size_ < kMaxWords) words_[size_] = {begin, end};
    size_ = std::min(size_ + 1, kMaxWords + 1);
    mark_ = mark;
    return {};
  }
  const Words done = finish();
  words_[0] = {begin, end};
  size_ = 1;
  return done;
}

JoinedWords::Words JoinedWords::finish() {
  const std::size_t size = std::exchange(size_, 0);
  if (size < 2 || size > kMaxWords || !are_one_word({words_.data(), size})) return {};
  done_ = words_;
  return {done_.data(), size};
}

/// Whether one mark, the same as before, is between the last word and `begin`. Sets `mark` to it.
bool JoinedWords::continues(std::size_t begin, char& mark) const {
  constexpr std::size_t kLongestMark = 3;
  if (size_ == 0 || begin <= last_end_ || begin - last_end_ > kLongestMark) return false;
  mark = joining_mark(text_.substr(last_end_, begin - last_end_));
  return mark != '\0' && (size_ == 1 || mark == mark_);
}

bool JoinedWords::are_one_word(Words words) const {
  constexpr std::size_t kLongest = 14, kLongestIdentifier = 10, kLongestWithDots = 7;  // characters
  std::size_t characters = 0;
  for (const Range& word : words) characters += utf8::code_points(text_.substr(word.begin, size_of(word)));
  const auto all = [&](auto holds) { return std::all_of(words.begin(), words.end(), holds); };
  switch (mark_) {
    case '.':
      return characters <= kLongestWithDots || (characters <= kLongest && words.size() == 2 && is_javascript(words[1]));
    case ':': return words.size() == kMaxWords && all([](const Range& word) { return size_of(word) == 2; });
    case ',':
      return is_number(words[0]) && size_of(words[0]) <= 3 &&
             std::all_of(words.begin() + 1, words.end(),
                         [this](const Range& word) { return is_group_of_digits(word); });
    default:
      return characters <= (mark_ == '_' ? kLongestIdentifier : kLongest) &&
             (words.size() > 2 || !all([this](const Range& word) { return is_number(word); }));
  }
}

bool JoinedWords::is_number(const Range& word) const { return ascii::is_digit(text_[word.begin]); }

/// The names of its libraries are written with and without the dot: `Angular.js`.
bool JoinedWords::is_javascript(const Range& word) const {
  return ascii::to_lower(text_.substr(word.begin, size_of(word))) == "js";
}

/// `299` or `299.99`.
bool JoinedWords::is_group_of_digits(const Range& word) const {
  constexpr std::size_t kGroup = 3;
  return is_number(word) && (size_of(word) == kGroup || (size_of(word) > kGroup && text_[word.begin + kGroup] == '.'));
}

}  // namespace kbase::text
