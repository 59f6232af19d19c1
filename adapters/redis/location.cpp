// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/location.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace kbase::redis {
namespace {

constexpr std::uint16_t kRedisPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;

struct Scheme {
  std::string_view start;
  Location::Kind kind;
  bool tls;
};
constexpr std::array<Scheme, 6> kSchemes{{{"redis://", Location::Kind::Single, false},
                                          {"rediss://", Location::Kind::Single, true},
                                          {"redis+sentinel://", Location::Kind::Sentinels, false},
                                          {"rediss+sentinel://", Location::Kind::Sentinels, true},
                                          {"redis+cluster://", Location::Kind::Cluster, false},
                                          {"rediss+cluster://", Location::Kind::Cluster, true}}};

model::Error wrong(std::string reason) {
  return model::invalid_argument("url", "url: " + std::move(reason));
}

/// Removes the part before `mark` from `text`, together with `mark`, and returns it; the whole text if there is no
/// `mark`.
std::string_view take_until(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Decodes percent-encoding (RFC 3986, section 2.1), so that a password can contain any character. Nullopt: invalid.
std::optional<std::string> decoded(std::string_view text) {
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

model::Result<Endpoint> endpoint_of(std::string_view text, std::uint16_t default_port) {
  Endpoint endpoint{{}, default_port};
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    if (text.find(']') == text.npos) return wrong("a ] is missing behind an IPv6 address, as in [::1]");
    endpoint.host = take_until(text, ']');
    if (endpoint.host.find(':') == endpoint.host.npos) return wrong("between [ and ] is an IPv6 address, as in [::1]");
    if (!text.empty() && text.front() != ':') return wrong("behind [ADDRESS] there may be :PORT alone");
    if (!text.empty()) text.remove_prefix(1);
  } else {
    endpoint.host = take_until(text, ':');
  }
  if (endpoint.host.empty()) return wrong("a host is missing");
  if (text.empty()) return endpoint;
  const auto port = number_of<std::uint16_t>(text);
  if (!port || *port == 0) return wrong("a port is no number from 1 to 65535");
  endpoint.port = *port;
  return endpoint;
}

model::Status read_user(Location& location, std::string_view user) {
  auto name = decoded(take_until(user, ':'));
  auto password = decoded(user);
  if (!name || !password) return wrong("write a % in the user or the password as %25, and @ : / likewise");
  location.username = *std::move(name);
  location.password = *std::move(password);
  return {};
}

model::Status read_path(Location& location, std::string_view path) {
  if (location.kind == Location::Kind::Sentinels) {
    location.primary = take_until(path, '/');
    if (location.primary.empty())
      return wrong("the primary's name is missing; write it behind the sentinels, redis+sentinel://HOST,HOST/NAME");
  }
  if (path.empty()) return {};
  if (location.kind == Location::Kind::Cluster)
    return wrong("a cluster has no databases; end the URL with the last host");
  const auto database = number_of<std::uint32_t>(path);
  if (!database) return wrong("the database behind the last / is no number");
  location.database = *database;
  return {};
}

}  // namespace

model::Result<Location> Location::parse(std::string_view url) {
  Location location;
  std::string_view rest;
  for (const Scheme& scheme : kSchemes) {
    if (!url.starts_with(scheme.start)) continue;
    location.kind = scheme.kind;
    location.tls = scheme.tls;
    rest = url.substr(scheme.start.size());
  }
  if (rest.data() == nullptr)
    return wrong(
        "it must begin with redis://, redis+sentinel:// or redis+cluster://, or with rediss in place of redis");
  std::string_view authority = take_until(rest, '/');
  if (const std::size_t at = authority.rfind('@'); at != authority.npos) {
    if (auto read = read_user(location, authority.substr(0, at)); !read) return read.error();
    authority.remove_prefix(at + 1);
  }
  const std::uint16_t port = location.kind == Kind::Sentinels ? kSentinelPort : kRedisPort;
  do {
    auto endpoint = endpoint_of(take_until(authority, ','), port);
    if (!endpoint) return endpoint.error();
    location.endpoints.push_back(*std::move(endpoint));
  } while (!authority.empty());
  if (location.kind == Kind::Single && location.endpoints.size() != 1)
    return wrong("one server has one host; several are those of redis+sentinel:// or redis+cluster://");
  if (auto read = read_path(location, rest); !read) return read.error();
  return location;
}

}  // namespace kbase::redis
