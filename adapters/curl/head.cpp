// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/head.hpp"

#include <algorithm>
#include <charconv>

namespace kbase::curl {
namespace {

constexpr std::uint32_t kFirstFinalStatus = 200;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return made;
}

}  // namespace

const std::string* Head::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &found->value;
}

HeadReader::Step HeadReader::line(std::string_view line) {
  if (line.size() > room_) return Step::TooLarge;
  room_ -= line.size();
  if (is_complete_) return Step::More;
  if (head_.status == 0) return status_line(line);
  const bool is_folded = line.front() == ' ' || line.front() == '\t';
  const std::string_view text = trimmed(line);
  if (text.empty() && !is_folded) return end_of_head();
  if (!is_folded) return field_line(text);
  if (head_.fields.empty()) return Step::Malformed;
  head_.fields.back().value.append(" ").append(text);  // RFC 9112, section 5.2
  return Step::More;
}

HeadReader::Step HeadReader::status_line(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (!line.starts_with("HTTP/") || space == std::string_view::npos) return Step::Malformed;
  const std::string_view code = line.substr(space + 1, 3);
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), head_.status);
  const bool is_status = error == std::errc() && end == code.data() + 3 && head_.status >= 100;
  return is_status ? Step::More : Step::Malformed;
}

HeadReader::Step HeadReader::field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return Step::Malformed;
  head_.fields.push_back({lower(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))});
  return Step::More;
}

HeadReader::Step HeadReader::end_of_head() {
  if (head_.status < kFirstFinalStatus) {
    head_ = {};
    return Step::More;
  }
  is_complete_ = true;
  return Step::Complete;
}

}  // namespace kbase::curl
