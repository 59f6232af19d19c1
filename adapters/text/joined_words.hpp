// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace kbase::text {

/// Finds the words of a text that marks join and that people also write as one word: `Wi-Fi`, `Node.js`, `U.S.A.`,
/// `user_name`, `O'Reilly`, `1,299.99`, `00:1A:2B:3C:4D:5E`. One object per text.
class JoinedWords {
 public:
  struct Range {
    std::size_t begin, end;
  };
  using Words = std::span<const Range>;

  explicit JoinedWords(std::string_view text) : text_(text) {}

  /// Notes the next word of the text. Returns the words before it that are one word; empty: they stay apart. Valid
  /// until the next call.
  Words add(std::size_t begin, std::size_t end);

  /// Returns the last words, as add(), before something that nothing joins, or at the end of the text.
  Words finish();

 private:
  static constexpr std::size_t kMaxWords = 6;

  bool continues(std::size_t begin, char& mark) const;
  bool are_one_word(Words words) const;
  bool is_number(const Range& word) const;
  bool is_javascript(const Range& word) const;
  bool is_group_of_digits(const Range& word) const;

  std::string_view text_;
  std::array<Range, kMaxWords> words_{}, done_{};
  std::size_t size_ = 0;      // kMaxWords + 1: too many
  std::size_t last_end_ = 0;  // end of the last word
  char mark_ = '\0';          // between them, in ASCII
};

}  // namespace kbase::text
