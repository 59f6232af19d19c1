// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/client_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr unsigned kMappedBits = 96;

/// Returns the host of "host", "host:port", "[host]" or "[host]:port".
std::string_view extract_host(std::string_view text) {
  if (text.starts_with('[')) return text.substr(1, std::min(text.find(']'), text.size()) - 1);
  const std::size_t colon = text.find(':');
  const bool has_port = colon != std::string_view::npos && text.find(':', colon + 1) == std::string_view::npos;
  return has_port ? text.substr(0, colon) : text;
}

/// Returns the unquoted value of the `for` parameter of an element of Forwarded, or an empty text.
std::string_view parse_forwarded_for(std::string_view element) {
  while (!element.empty()) {
    const std::size_t end = std::min(element.find(';'), element.size());
    const std::string_view pair = trim(element.substr(0, end));
    element.remove_prefix(std::min(end + 1, element.size()));
    if (pair.size() < 4 || !equals_lower(pair.substr(0, 4), "for=")) continue;
    std::string_view value = pair.substr(4);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

/// Returns the address with all bytes after the first `count` set to zero.
NetworkAddress keep_first_bytes(NetworkAddress address, std::size_t count) {
  std::fill(address.bytes.begin() + static_cast<std::ptrdiff_t>(count), address.bytes.end(), std::uint8_t{0});
  return address;
}

/// Returns the hops in the forwarding fields, nearest last.
std::vector<std::string_view> collect_hops(const Request& request) {
  std::vector<std::string_view> hops;
  request.each_field("x-forwarded-for", [&](std::string_view list) {
    while (!list.empty()) hops.push_back(next_token(list));
  });
  if (!hops.empty()) return hops;
  request.each_field("forwarded", [&](std::string_view list) {
    while (!list.empty()) hops.push_back(parse_forwarded_for(next_element(list)));
  });
  return hops;
}

constexpr std::chrono::minutes kLogInterval{1};

bool is_forwarded(const Request& request) {
  return request.field("x-forwarded-for").has_value() || request.field("forwarded").has_value();
}

/// Returns the networks and `added` as a YAML list.
std::string format_list_with(const std::vector<std::string>& networks, const std::string& added) {
  std::string list = "[";
  for (const std::string& network : networks) list.append("\"").append(network).append("\", ");
  return list.append("\"").append(added).append("\"]");
}

}  // namespace

std::optional<NetworkAddress> NetworkAddress::parse(std::string_view text) {
  const std::string host(extract_host(text));
  NetworkAddress address;
  if (::inet_pton(AF_INET6, host.c_str(), address.bytes.data()) == 1) return address;
  std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), address.bytes.begin());
  if (::inet_pton(AF_INET, host.c_str(), address.bytes.data() + kMappedPrefix.size()) == 1) return address;
  return std::nullopt;
}

bool NetworkAddress::is_ipv4() const noexcept {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin());
}

bool NetworkAddress::is_private() const noexcept {
  if (!is_ipv4()) {
    const bool is_loopback =
        bytes[15] == 1 && std::all_of(bytes.begin(), bytes.begin() + 15, [](auto b) { return b == 0; });
    return is_loopback || (bytes[0] & 0xFE) == 0xFC || (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80);
  }
  const std::uint8_t first = bytes[12];
  const std::uint8_t second = bytes[13];
  return first == 10 || first == 127 || (first == 172 && (second & 0xF0) == 16) || (first == 192 && second == 168) ||
         (first == 169 && second == 254) || (first == 100 && (second & 0xC0) == 64);
}

std::string NetworkAddress::text() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_ipv4())
    ::inet_ntop(AF_INET, bytes.data() + kMappedPrefix.size(), text, sizeof text);
  else
    ::inet_ntop(AF_INET6, bytes.data(), text, sizeof text);
  return text;
}

std::string NetworkAddress::canonical() const { return is_ipv4() ? text() : keep_first_bytes(*this, 8).text() + "/64"; }

std::string NetworkAddress::network() const {
  return is_ipv4() ? keep_first_bytes(*this, kMappedPrefix.size() + 3).text() + "/24"
                   : keep_first_bytes(*this, 6).text() + "/48";
}

Result<NetworkSet> NetworkSet::parse(const std::vector<std::string>& networks) {
  NetworkSet set;
  for (const std::string& text : networks) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto address = NetworkAddress::parse(std::string_view(text).substr(0, slash));
    std::optional<std::uint64_t> bits = 128;
    if (slash < text.size()) {
      const std::uint64_t offset =
          address && address->is_ipv4() && text.find(':') == std::string::npos ? kMappedBits : 0;
      bits = parse_decimal(std::string_view(text).substr(slash + 1));
      if (bits) bits = *bits > 128 - offset ? std::nullopt : std::optional(*bits + offset);
    }
    if (!address || !bits)
      return invalid_argument("trusted_proxies",
                              "'" + text + "' is not a network; write it like 10.0.0.0/8 or 2001:db8::/32");
    set.networks_.push_back({*address, static_cast<unsigned>(*bits)});
  }
  return set;
}

bool NetworkSet::contains(const NetworkAddress& address) const noexcept {
  return std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
    const std::size_t whole = network.prefix_bits / 8;
    if (std::memcmp(network.address.bytes.data(), address.bytes.data(), whole) != 0) return false;
    if (network.prefix_bits % 8 == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xFFu << (8 - network.prefix_bits % 8));
    return ((network.address.bytes[whole] ^ address.bytes[whole]) & mask) == 0;
  });
}

std::optional<Peer> find_client(const Peer& peer, const Request& request, const NetworkSet& trusted_proxies) {
  if (!trusted_proxies.contains(peer.address)) return std::nullopt;
  NetworkAddress client = peer.address;
  const std::vector<std::string_view> hops = collect_hops(request);
  for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop) {
    const auto address = NetworkAddress::parse(*hop);
    if (!address) break;
    client = *address;
    if (!trusted_proxies.contains(client)) break;
  }
  return Peer(client);
}

void ForwardingWarning::check(const Request& request, const NetworkAddress& peer) {
  if (!peer.is_private() || !is_forwarded(request) || !is_due()) return;
  const std::string line = "server: { trusted_proxies: " + format_list_with(trusted_proxies_, peer.text()) + " }";
  const ports::LogField fields[] = {{"configuration", line}};
  log_.log(
      ports::LogLevel::Warning, "http.proxy_not_trusted",
      "A proxy that is not in trusted_proxies forwarded a request, so all clients behind it share one rate limit. If "
      "the proxy is yours, add it to the configuration as shown.",
      fields);
}

/// If several threads call it at the same time, it returns true for one of them.
bool ForwardingWarning::is_due() {
  const auto now = clock_.steady();
  auto next = next_.load(std::memory_order_relaxed);
  return now >= next && next_.compare_exchange_strong(next, now + kLogInterval, std::memory_order_relaxed);
}

}  // namespace kbase::http
