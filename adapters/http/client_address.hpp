// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/request.hpp"
#include "domain/model/result.hpp"

namespace kbase::http {

/// An address of either family as 128 bits; IPv4 as the IPv4-mapped IPv6 address that it equals.
struct NetworkAddress {
  std::array<std::uint8_t, 16> bytes{};

  /// "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1", also with a port or brackets as proxies write them.
  static std::optional<NetworkAddress> parse(std::string_view text);

  bool is_ipv4() const noexcept;

  /// Whether it is of this machine or of a network that the Internet does not lead to (RFC 1918, 4193, 6598, loopback,
  /// link-local).
  bool is_private() const noexcept;

  /// Whom a quota counts: "192.0.2.1" as a whole, IPv6 by its network "2001:db8:0:1::/64".
  std::string canonical() const;

  /// "192.0.2.1", "2001:db8::1".
  std::string text() const;

  /// Where in the net it is, but not who: "192.0.2.0/24", "2001:db8:1::/48".
  std::string network() const;
};

/// The other end of a connection, or of the proxies it came over.
struct Peer {
  explicit Peer(const NetworkAddress& socket_address)
      : address(socket_address), canonical(address.canonical()), network(address.network()) {}

  NetworkAddress address;
  std::string canonical;
  std::string network;
};

/// A set of networks, each written as an address or as "address/prefix length".
class NetworkSet {
 public:
  /// InvalidArgument names the text that is no network.
  static model::Result<NetworkSet> parse(const std::vector<std::string>& networks);

  bool contains(const NetworkAddress& address) const noexcept;
  bool empty() const noexcept { return networks_.empty(); }

 private:
  struct Network {
    NetworkAddress address;
    unsigned prefix_bits = 128;
  };
  std::vector<Network> networks_;
};

/// Whose request a trusted proxy hands on: the last address of X-Forwarded-For (else of Forwarded, RFC 7239) that is no
/// trusted proxy's, walked from the right. What is no address ends the walk at the hop before. A trusted proxy must
/// therefore set the one or drop both. nullopt: the socket's peer is no trusted proxy, and so the client itself.
std::optional<Peer> client_behind(const Peer& peer, const Request& request, const NetworkSet& trusted_proxies);

}  // namespace kbase::http
