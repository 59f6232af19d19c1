// SPDX-License-Identifier: Apache-2.0
#include "adapters/text/excerpt_line.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "domain/base/text.hpp"

namespace kbase::text {
namespace {

/// append_line() for a text that begins with graphic ASCII and single blanks; takes a fraction of the time. nullopt:
/// the text begins otherwise.
std::optional<bool> append_simple_line(std::string& line, std::string_view text, std::size_t max_code_points,
                                       std::size_t min_end) {
  std::string_view start = text.substr(0, max_code_points + 1);
  if (start.size() < text.size() && is_blank(start.back())) start = text.substr(0, max_code_points + 2);
  if (!utf8::is_simple_line(start)) return std::nullopt;
  const bool is_cut = text.size() > max_code_points;
  std::size_t end = text.size();
  if (is_cut) {
    const std::size_t border = start.find_last_of(" \n", max_code_points);
    end = border != std::string_view::npos && border >= min_end ? border : max_code_points;
  }
  const std::size_t begin = line.size();
  line.append(start, 0, end);
  for (std::size_t i = line.find('\n', begin); i != std::string::npos; i = line.find('\n', i)) line[i] = ' ';
  return is_cut;
}

}  // namespace

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

bool append_line(std::string& line, std::string_view text, std::size_t max_code_points, std::size_t min_end) {
  if (const auto is_cut = append_simple_line(line, text, max_code_points, min_end)) return *is_cut;
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

}  // namespace kbase::text
