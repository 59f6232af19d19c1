// SPDX-License-Identifier: Apache-2.0
#include "domain/model/ids.hpp"

#include <algorithm>

#include "domain/base/text.hpp"

namespace kbase::model {

std::string_view id_defect(std::string_view text) {
  if (text.empty()) return "an id must not be empty";
  if (text.size() > kMaxIdBytes) return "an id has at most 256 bytes";
  if (!utf8::is_valid(text)) return "an id must be valid UTF-8";
  if (utf8::has_control(text)) return "an id must not have control characters";
  if (text == "." || text == "..") return "an id must be neither '.' nor '..'";
  return {};
}

bool is_page_address(std::string_view text) {
  const bool is_absolute = text.starts_with("http://") || text.starts_with("https://");
  if (!is_absolute && !text.starts_with('/')) return false;
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
}

bool is_language(std::string_view text) {
  constexpr std::size_t kMaxLanguageBytes = 35;  // RFC 5646, section 4.4.1
  if (text.size() > kMaxLanguageBytes) return false;
  for (bool is_first = true;; is_first = false) {
    const std::size_t end = std::min(text.find('-'), text.size());
    const std::string_view part = text.substr(0, end);
    if (part.size() < (is_first ? 2 : 1) || part.size() > 8) return false;
    if (!std::all_of(part.begin(), part.end(),
                     [&](char c) { return is_first ? ascii::is_letter(c) : ascii::is_alphanumeric(c); }))
      return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_language_in(std::string_view tag, std::string_view range) {
  const auto equal = [](char a, char b) { return ascii::to_lower(a) == ascii::to_lower(b); };
  return tag.size() >= range.size() && std::equal(range.begin(), range.end(), tag.begin(), equal) &&
         (tag.size() == range.size() || tag[range.size()] == '-');
}

std::vector<std::string> language_ranges(std::string_view tag) {
  std::vector<std::string> ranges;
  const std::string lower = ascii::to_lower(tag);
  for (std::size_t end = lower.size(); end != 0 && end != std::string::npos; end = lower.rfind('-', end - 1))
    ranges.push_back(lower.substr(0, end));
  return ranges;
}

}  // namespace kbase::model
