// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/request_parser.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// IPv4 or IPv6 address as 128 bits. IPv4 is stored as an IPv4-mapped IPv6 address.
struct NetworkAddress {
  std::array<std::uint8_t, 16> bytes{};

  /// Parses "192.0.2.1", "2001:db8::1" or "::ffff:192.0.2.1", optionally with brackets or a port, as proxies write
  /// them.
  static std::optional<NetworkAddress> parse(std::string_view text);

  bool is_ipv4() const noexcept;

  /// Returns whether the address is not routed on the Internet (RFC 1918, 4193, 6598, loopback, link-local).
  bool is_private() const noexcept;

  /// Returns the address as the rate limiter counts it: IPv4 in full, "192.0.2.1"; IPv6 as its /64,
  /// "2001:db8:0:1::/64".
  std::string canonical() const;

  /// Returns the full address: "192.0.2.1", "2001:db8::1".
  std::string text() const;

  /// Returns the network, without the host: "192.0.2.0/24", "2001:db8:1::/48".
  std::string network() const;
};

/// Remote end of a connection, or the client behind proxies.
struct Peer {
  explicit Peer(const NetworkAddress& socket_address)
      : address(socket_address), canonical(address.canonical()), network(address.network()) {}

  NetworkAddress address;
  std::string canonical;
  std::string network;
};

/// Set of networks, each written as an address or as "address/prefix length".
class NetworkSet {
 public:
  /// Returns InvalidArgument with the text that is not a network.
  static Result<NetworkSet> parse(const std::vector<std::string>& networks);

  bool contains(const NetworkAddress& address) const noexcept;
  bool empty() const noexcept { return networks_.empty(); }

 private:
  struct Network {
    NetworkAddress address;
    unsigned prefix_bits = 128;
  };
  std::vector<Network> networks_;
};

/// Returns the client behind trusted proxies: the rightmost address of X-Forwarded-For that is not a trusted proxy, or
/// of Forwarded (RFC 7239) if there is no X-Forwarded-For. An element that is not an address ends the search at the
/// previous hop. A trusted proxy must therefore set one of these fields or remove both. Returns nullopt if the peer is
/// not a trusted proxy; then the peer is the client.
std::optional<Peer> find_client(const Peer& peer, const Request& request, const NetworkSet& trusted_proxies);

/// Warns the operator of a proxy that is missing in trusted_proxies, because all clients behind it share one rate
/// limit. Detects a request with a forwarding field from this machine or from a private network; from other addresses
/// the field is assumed to be forged by a client. Logs at most once a minute, with the configuration to set.
/// Thread-safe.
class ForwardingWarning {
 public:
  /// `log` and `clock` must outlive this object. `trusted_proxies` is the configured list.
  ForwardingWarning(ports::EventLog& log, const ports::Clock& clock, std::vector<std::string> trusted_proxies)
      : log_(log), clock_(clock), trusted_proxies_(std::move(trusted_proxies)) {}

  /// Checks a request whose peer is not trusted.
  void check(const Request& request, const NetworkAddress& peer);

 private:
  bool is_due();

  ports::EventLog& log_;
  const ports::Clock& clock_;
  const std::vector<std::string> trusted_proxies_;
  std::atomic<std::chrono::steady_clock::time_point> next_{};
};

}  // namespace kbase::http
