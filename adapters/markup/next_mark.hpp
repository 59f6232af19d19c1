// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace kbase::markup {

/// Finds the next occurrence of a mark while a text is read from its start to its end. Each part of the text is
/// searched once, however often it is asked.
class NextMark {
 public:
  /// `mark` must outlive the object.
  explicit NextMark(std::string_view mark) : mark_(mark) {}

  /// Returns the position of the mark in `rest`; npos: it has none. `rest` is what is left of the text: each call gets
  /// a suffix of the text of the previous call.
  std::size_t in(std::string_view rest) {
    if (next_ == nullptr || next_ < rest.data()) {
      const std::size_t found = rest.find(mark_);
      exists_ = found != std::string_view::npos;
      next_ = rest.data() + (exists_ ? found : rest.size());
    }
    return exists_ ? static_cast<std::size_t>(next_ - rest.data()) : std::string_view::npos;
  }

 private:
  std::string_view mark_;
  const char* next_ = nullptr;  // the next occurrence, or the end of the text
  bool exists_ = false;
};

}  // namespace kbase::markup
