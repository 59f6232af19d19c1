// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/charset.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "domain/base/text.hpp"

namespace kbase::web {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the name after `charset=` in lower case; empty: it is missing.
std::string charset_in(std::string_view text) {
  constexpr std::string_view kKey = "charset=";
  const std::string lower = ascii::to_lower(text);
  const std::size_t key = lower.find(kKey);
  if (key == std::string::npos) return {};
  std::size_t begin = key + kKey.size();
  while (begin < lower.size() && (lower[begin] == '"' || lower[begin] == '\'' || lower[begin] == ' ')) ++begin;
  return lower.substr(begin, std::min(lower.find_first_of("\"'; />", begin), lower.size()) - begin);
}

/// Returns the encoding that a `meta` element at the start of HTML names; empty: none does.
std::string charset_of_meta(std::string_view html) {
  constexpr std::size_t kSearched = 1024;
  const std::string lower = ascii::to_lower(html.substr(0, kSearched));
  for (std::size_t at = lower.find("<meta"); at != std::string::npos; at = lower.find("<meta", at + 1)) {
    std::string charset = charset_in(std::string_view(lower).substr(at, lower.find('>', at) - at));
    if (!charset.empty()) return charset;
  }
  return {};
}

/// Replaces the bytes that are not UTF-8.
std::string repaired(std::string_view body) {
  std::string text;
  while (!body.empty()) {
    const std::size_t length = utf8::sequence_length(body);
    text += length == 0 ? kReplacement : body.substr(0, length);
    body.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

std::optional<std::string> converted(std::string_view body, const std::string& charset) {
  const iconv_t conversion = iconv_open("UTF-8", charset.c_str());
  if (conversion == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  const std::unique_ptr<void, int (*)(iconv_t)> closer(conversion, iconv_close);
  std::string text;
  std::array<char, 16384> buffer{};
  char* in = const_cast<char*>(body.data());
  std::size_t left = body.size();
  while (left > 0) {
    char* out = buffer.data();
    std::size_t space = buffer.size();
    const std::size_t before = left;
    const bool failed = iconv(conversion, &in, &left, &out, &space) == static_cast<std::size_t>(-1);
    text.append(buffer.data(), buffer.size() - space);
    if (!failed || space < buffer.size() / 2 || left == 0) continue;
    if (before != left) continue;  // the bytes before the defect
    text += kReplacement;
    ++in;
    --left;
  }
  return text;
}

}  // namespace

std::string to_utf8(std::string body, std::string_view content_type) {
  std::string charset = charset_in(content_type);
  if (charset.empty() && content_type.find("html") != std::string_view::npos) charset = charset_of_meta(body);
  const bool is_utf8 = charset == "utf-8" || charset == "utf8";
  if ((charset.empty() || is_utf8) && utf8::is_valid(body)) return body;
  if (is_utf8) return repaired(body);
  // Browsers read these three as windows-1252, which has printable characters where ISO 8859-1 has controls.
  if (charset.empty() || charset == "iso-8859-1" || charset == "us-ascii") charset = "windows-1252";
  auto text = converted(body, charset);
  return text ? *std::move(text) : body;
}

}  // namespace kbase::web
