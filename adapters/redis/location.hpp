// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::redis {

/// Host and port of a server.
struct Endpoint {
  std::string host;  ///< a name or an address, IPv6 without brackets
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;

  /// Returns "10.0.0.5:6379" or "[::1]:6379".
  std::string text() const {
    const bool is_ipv6 = host.find(':') != std::string::npos;
    return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

/// Address of a Redis, parsed from a URL:
///
///     redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]                   one server
///     redis+sentinel://[USER:PASSWORD@]HOST[:PORT],.../PRIMARY[/DATABASE]   the primary that the sentinels name
///     redis+cluster://[USER:PASSWORD@]HOST[:PORT],...                  a cluster, by some of its nodes
///
/// With rediss in place of redis the connections use TLS. Default ports: 6379, sentinels 26379.
struct Location {
  enum class Kind { Single, Sentinels, Cluster };

  Kind kind = Kind::Single;
  bool tls = false;
  std::vector<Endpoint> endpoints;  ///< at least one
  std::string primary;              ///< name of the primary at the sentinels
  std::uint32_t database = 0;
  std::string username;
  std::string password;

  /// InvalidArgument: the message names the problem and contains no part of the user information.
  static Result<Location> parse(std::string_view url);
};

}  // namespace kbase::redis
