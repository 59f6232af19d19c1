// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/location.hpp"

#include <array>
#include <charconv>
#include <optional>

#include "domain/base/result.hpp"

namespace kbase::redis {
namespace {

constexpr std::uint16_t kRedisPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
  std::string_view prefix;
  Location::Kind kind;
  bool tls;
};
constexpr std::array<Scheme, 6> kSchemes{{{"redis://", Location::Kind::Single, false},
                                          {"rediss://", Location::Kind::Single, true},
                                          {"redis+sentinel://", Location::Kind::Sentinels, false},
                                          {"rediss+sentinel://", Location::Kind::Sentinels, true},
                                          {"redis+cluster://", Location::Kind::Cluster, false},
                                          {"rediss+cluster://", Location::Kind::Cluster, true}}};

Error url_error(std::string reason) { return invalid_argument("url", "url: " + std::move(reason)); }

/// Removes the part before `mark` from `text`, together with `mark`, and returns it; the whole text if there is no
/// `mark`.
std::string_view split_off(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Decodes percent-encoding (RFC 3986, section 2.1), so that a password can contain any character. Nullopt: invalid.
std::optional<std::string> percent_decode(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc() || end != digits.data() + 2) return std::nullopt;
    plain += static_cast<char>(byte);
    i += 2;
  }
  return plain;
}

Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
  Endpoint endpoint{{}, default_port};
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    if (text.find(']') == text.npos) return url_error("an IPv6 address must end with ], as in [::1]");
    endpoint.host = split_off(text, ']');
    if (endpoint.host.find(':') == endpoint.host.npos)
      return url_error("the text between [ and ] must be an IPv6 address, as in [::1]");
    if (!text.empty() && text.front() != ':') return url_error("after [ADDRESS] only :PORT can follow");
    if (!text.empty()) text.remove_prefix(1);
  } else {
    endpoint.host = split_off(text, ':');
  }
  if (endpoint.host.empty()) return url_error("a host is missing");
  if (text.empty()) return endpoint;
  const auto port = parse_number<std::uint16_t>(text);
  if (!port || *port == 0) return url_error("a port must be a number from 1 to 65535");
  endpoint.port = *port;
  return endpoint;
}

Status parse_user(Location& location, std::string_view user) {
  auto name = percent_decode(split_off(user, ':'));
  auto password = percent_decode(user);
  if (!name || !password)
    return url_error(
        "percent-encode the special characters of the user name and password: % as %25, @ as %40, : as %3A, / as %2F");
  location.username = *std::move(name);
  location.password = *std::move(password);
  return {};
}

Status parse_path(Location& location, std::string_view path) {
  if (location.kind == Location::Kind::Sentinels) {
    location.primary = split_off(path, '/');
    if (location.primary.empty())
      return url_error(
          "the name of the primary is missing; add it after the sentinels: redis+sentinel://HOST,HOST/NAME");
  }
  if (path.empty()) return {};
  if (location.kind == Location::Kind::Cluster)
    return url_error("a cluster has no databases; remove the path after the last host");
  const auto database = parse_number<std::uint32_t>(path);
  if (!database) return url_error("the database after the last / must be a number");
  location.database = *database;
  return {};
}

}  // namespace

Result<Location> Location::parse(std::string_view url) {
  Location location;
  std::string_view rest;
  for (const Scheme& scheme : kSchemes) {
    if (!url.starts_with(scheme.prefix)) continue;
    location.kind = scheme.kind;
    location.tls = scheme.tls;
    rest = url.substr(scheme.prefix.size());
  }
  if (rest.data() == nullptr)
    return url_error(
        "it must begin with redis://, redis+sentinel:// or redis+cluster://, or the same with rediss for TLS");
  std::string_view authority = split_off(rest, '/');
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    KBASE_TRY(parse_user(location, authority.substr(0, at)));
    authority.remove_prefix(at + 1);
  }
  const std::uint16_t port = location.kind == Kind::Sentinels ? kSentinelPort : kRedisPort;
  do {
    auto endpoint = KBASE_TRY(parse_endpoint(split_off(authority, ','), port));
    location.endpoints.push_back(std::move(endpoint));
  } while (!authority.empty());
  if (location.kind == Kind::Single && location.endpoints.size() != 1)
    return url_error("redis:// accepts one host; use redis+sentinel:// or redis+cluster:// for several");
  KBASE_TRY(parse_path(location, rest));
  return location;
}

}  // namespace kbase::redis
