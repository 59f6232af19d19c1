// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/visitor_cookie.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "adapters/http/cookies.hpp"

namespace kbase::http {
namespace {

using std::chrono::seconds;

constexpr std::string_view kName = "kbase_visitor";

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
  return format_cookie(kName, end + '.' + std::string(signature.data(), signature.size()), kLifetime, is_secure);
}

/// Zero: the request has no cookie that is valid for the client.
seconds VisitorCookie::time_left(const Request& request, const Peer& client, model::Instant now) const {
  const std::string_view cookie = find_cookie(request, kName).value_or("");
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
