// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/visitor_cookie.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kbase::http {
namespace {

using std::chrono::seconds;

constexpr std::string_view kName = "kbase_visitor";

/// Returns the value of the cookie (RFC 6265, section 5.4).
std::optional<std::string_view> find_cookie(const Request& request) {
  std::optional<std::string_view> value;
  request.each_field("cookie", [&value](std::string_view cookies) {
    while (!cookies.empty()) {
      const std::size_t end = std::min(cookies.find(';'), cookies.size());
      std::string_view pair = cookies.substr(0, end);
      pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
      if (pair.starts_with(kName) && pair.substr(kName.size()).starts_with('=')) value = pair.substr(kName.size() + 1);
      cookies.remove_prefix(std::min(end + 1, cookies.size()));
    }
  });
  return value;
}

seconds since_epoch(model::Instant instant) { return std::chrono::duration_cast<seconds>(instant.time_since_epoch()); }

/// Compares in a time that does not depend on where the texts differ.
bool is_equal(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    difference |= static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(right[i]);
  return difference == 0;
}

}  // namespace

bool VisitorCookie::is_visitor(const Request& request, const Peer& client, model::Instant now) const {
  const bool is_own = request.field("sec-fetch-site").value_or("same-origin") == "same-origin";
  return is_own && time_left(request, client, now) > seconds(0);
}

std::string VisitorCookie::renew(const Request& request, const Peer& client, model::Instant now, bool is_secure) const {
  if (time_left(request, client, now) > kLifetime / 2) return {};
  const std::string end = std::to_string((since_epoch(now) + kLifetime).count());
  const ports::Signature signature = sign(end, client);
  std::string cookie(kName);
  cookie.append("=").append(end).append(".").append(signature.data(), signature.size());
  cookie.append("; Max-Age=").append(std::to_string(seconds(kLifetime).count()));
  cookie.append("; Path=/; HttpOnly; SameSite=Strict");
  return is_secure ? cookie + "; Secure" : cookie;
}

/// Zero: the request has no cookie that is valid for the client.
seconds VisitorCookie::time_left(const Request& request, const Peer& client, model::Instant now) const {
  const std::string_view cookie = find_cookie(request).value_or("");
  const std::size_t dot = cookie.find('.');
  if (dot == std::string_view::npos) return seconds(0);
  const std::string_view end = cookie.substr(0, dot);
  const ports::Signature signature = sign(end, client);
  if (!is_equal(cookie.substr(dot + 1), {signature.data(), signature.size()})) return seconds(0);
  seconds::rep last = 0;
  std::from_chars(end.data(), end.data() + end.size(), last);
  return std::max(seconds(0), seconds(last) - since_epoch(now));
}

ports::Signature VisitorCookie::sign(std::string_view end, const Peer& client) const {
  std::string text("visitor ");
  text.append(client.network).append(" ").append(end.substr(0, 20));
  return signatures_.of(text);
}

}  // namespace kbase::http
