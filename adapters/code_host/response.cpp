// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/response.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "adapters/base/retry_after.hpp"
#include "domain/base/utf8.hpp"

namespace kbase::code_host {
namespace {

constexpr std::size_t kMaxTagBytes = 256;
constexpr std::size_t kMaxPathBytes = 2048;

/// Whether `text` is printable ASCII without spaces and not longer than `max_bytes`.
bool is_plain(std::string_view text, std::size_t max_bytes) {
  return text.size() <= max_bytes && utf8::graphic_ascii_length(text) == text.size();
}

/// Returns the "/path?query" of an absolute URL, or of a reference that starts with a single slash; empty: it is
/// neither.
std::string_view path_of(std::string_view reference) {
  if (const std::size_t scheme = reference.find("://"); reference.starts_with("http") && scheme <= 5)
    reference.remove_prefix(std::min(reference.find('/', scheme + 3), reference.size()));
  return is_path(reference) ? reference : std::string_view();
}

/// FNV-1a, 64 bits (RFC 9923). Detects changes; it does not protect against forgery.
std::uint64_t compute_digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

using std::chrono::seconds;

constexpr std::uint32_t kTooManyRequests = 429;
constexpr seconds kDefaultWait{60};
constexpr seconds kMaxWait{24 * 3600};
/// Clamp for seconds since 1970, so that calculations do not overflow. Later times count as never.
constexpr std::int64_t kMaxSeconds = std::int64_t{1} << 40;

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::clamp(number, -kMaxSeconds, kMaxSeconds);
}

/// Returns the service's clock from the Date of the response, else `now`.
model::Instant get_service_time(const Response& response, model::Instant now) {
  return http_fields::parse_http_date(response.field("date")).value_or(now);
}

seconds clamp_wait(seconds wait) { return std::clamp(wait, seconds(1), kMaxWait); }

bool is_rate_limited(const Response& response) {
  if (response.status == kTooManyRequests) return true;
  if (response.status != kForbidden) return false;
  return !response.field("retry-after").empty() || response.field("x-ratelimit-remaining") == "0" ||
         response.body.find("secondary rate limit") != std::string::npos ||
         response.body.find("abuse detection") != std::string::npos;
}

}  // namespace

bool is_path(std::string_view text) {
  return text.starts_with('/') && !text.starts_with("//") && is_plain(text, kMaxPathBytes);
}

std::string_view Response::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? std::string_view() : found->value;
}

std::string_view Response::next_page() const {
  const std::string_view link = field("link");
  for (std::size_t open = link.find('<'); open != link.npos; open = link.find('<', open + 1)) {
    const std::size_t close = link.find('>', open);
    if (close == link.npos) return {};
    const std::string_view parameters = link.substr(close, link.find('<', close) - close);
    if (parameters.find("rel=\"next\"") != parameters.npos || parameters.find("rel=next") != parameters.npos)
      return path_of(link.substr(open + 1, close - open - 1));
  }
  return {};
}

std::string_view Response::redirect_target(std::string_view origin) const {
  constexpr std::array<std::uint32_t, 4> kMoved{301, 302, 307, 308};
  if (std::find(kMoved.begin(), kMoved.end(), status) == kMoved.end()) return {};
  std::string_view location = field("location");
  if (location.starts_with(origin)) location.remove_prefix(origin.size());
  return location.starts_with('/') ? path_of(location) : std::string_view();
}

std::string Response::tag() const {
  const std::string_view etag = field("etag");
  const bool is_etag = etag.starts_with('"') || etag.starts_with("W/\"");
  if (status == kOk && is_etag && is_plain(etag, kMaxTagBytes)) return std::string(etag);
  std::array<char, 16> digits{};
  const std::uint64_t digest = compute_digest(body) ^ status;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  return "#" + std::string(digits.data(), end);
}

std::optional<seconds> retry_after(const Response& response, model::Instant now) {
  const auto wait = http_fields::parse_retry_after(response.field("retry-after"), get_service_time(response, now));
  if (!wait) return std::nullopt;
  return clamp_wait(std::chrono::ceil<seconds>(*wait));
}

seconds time_until_reset(const Response& response, model::Instant now) {
  // GitHub names the fields x-ratelimit-*, GitLab ratelimit-*. Both give seconds since 1970.
  for (const std::string prefix : {"x-ratelimit-", "ratelimit-"}) {
    const auto reset = parse_number(response.field(prefix + "reset"));
    if (reset && response.field(prefix + "remaining") == "0")
      return clamp_wait(seconds(*reset) -
                        std::chrono::floor<seconds>(get_service_time(response, now).time_since_epoch()));
  }
  return kDefaultWait;
}

std::optional<seconds> rate_limit_wait(const Response& response, model::Instant now) {
  if (!is_rate_limited(response)) return std::nullopt;
  if (const auto wait = retry_after(response, now)) return wait;
  return time_until_reset(response, now);
}

}  // namespace kbase::code_host
