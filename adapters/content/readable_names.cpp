// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/readable_names.hpp"

#include <algorithm>

#include "adapters/content/dates.hpp"
#include "domain/base/text.hpp"

namespace kbase::content {

std::string logseq_name(std::string_view name) {
  std::string shown(name);
  for (std::size_t at = shown.find("___"); at != std::string::npos; at = shown.find("___", at + 1))
    shown.replace(at, 3, "/");
  return shown;
}

std::string readable_name(std::string_view name) {
  if (date_in_name(name)) name.remove_prefix(11);
  // A number that only orders the files: "01-install", "2. Setup".
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  if (digits > 0 && digits <= 3 && digits + 1 < name.size()) {
    const std::size_t next = name.find_first_not_of("-_. ", digits);
    if (next != std::string_view::npos && next > digits && !ascii::is_digit(name[next])) name.remove_prefix(next);
  }
  while (!name.empty() && (name.front() == '_' || name.front() == '-')) name.remove_prefix(1);
  std::string readable(name);
  const bool has_spaces = readable.find(' ') != std::string::npos;
  for (char& c : readable)
    if (!has_spaces && (c == '-' || c == '_')) c = ' ';
  readable = utf8::trimmed(readable);
  if (!readable.empty() && ascii::is_lower(readable.front()))
    readable.front() = static_cast<char>(readable.front() - 'a' + 'A');
  return readable;
}

}  // namespace kbase::content
