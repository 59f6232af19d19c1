// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace kbase::redis
