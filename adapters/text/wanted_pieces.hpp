// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "adapters/text/prefix_set.hpp"

namespace kbase::text {

/// Finds the pieces of a text, between ASCII blanks, that may have a wanted word. Classifies sixteen bytes at a time. A
/// word, or a part of one, starts where letters or digits start, where letters and digits meet,
/// or with a capital letter; a word with a mark starts with a dot or a minus.
class WantedPieces {
 public:
  /// Both arguments must outlive the object.
  WantedPieces(std::string_view text, const PrefixSet& wanted) : text_(text), wanted_(wanted) {}

  /// Moves to the next piece; the first call moves to the first one. Returns false at the end of the text.
  bool next();

  std::size_t begin() const { return begin_; }  ///< byte offsets in the text
  std::size_t end() const { return end_; }

 private:
  bool find_start(std::size_t& at) const;
  bool may_start_wanted(std::size_t at) const;

  std::string_view text_;
  const PrefixSet& wanted_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace kbase::text
