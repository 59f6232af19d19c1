// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/listening_socket.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>

#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

const sockaddr_in& as_ipv4(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr_in&>(address);
}

const sockaddr_in6& as_ipv6(const sockaddr_storage& address) {
  return reinterpret_cast<const sockaddr_in6&>(address);
}

bool is_at(const sockaddr_storage& seen, const sockaddr_storage& address, std::uint16_t port) {
  if (seen.ss_family != address.ss_family) return false;
  if (seen.ss_family == AF_INET)
    return as_ipv4(seen).sin_port == htons(port) && as_ipv4(seen).sin_addr.s_addr == as_ipv4(address).sin_addr.s_addr;
  return as_ipv6(seen).sin6_port == htons(port) &&
         std::memcmp(&as_ipv6(seen).sin6_addr, &as_ipv6(address).sin6_addr, sizeof(in6_addr)) == 0;
}

bool listens_at(int descriptor, const sockaddr_storage& address, std::uint16_t port) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) return false;
  sockaddr_storage seen{};
  size = sizeof seen;
  return ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&seen), &size) == 0 && is_at(seen, address, port);
}

std::optional<int> listening_descriptor(const sockaddr_storage& address, std::uint16_t port) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const auto descriptor = decimal(entry.path().filename().string());
    if (descriptor && listens_at(static_cast<int>(*descriptor), address, port)) return static_cast<int>(*descriptor);
  }
  return std::nullopt;
}

}  // namespace

model::Result<sockaddr_storage> resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0)
    return model::invalid_argument("address", "'" + host + "' is no address to listen on: " + ::gai_strerror(error));
  sockaddr_storage address{};
  std::memcpy(&address, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return address;
}

void stop_listening(const sockaddr_storage& address, std::uint16_t port) {
  const std::optional<int> listening = listening_descriptor(address, port);
  if (!listening) return;
  // Use a socket that does not listen, so that a concurrent accept() fails with an error that Pistache treats as
  // temporary.
  const int mute = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (mute < 0) return;
  ::dup3(mute, *listening, O_CLOEXEC);
  ::close(mute);
}

}  // namespace kbase::http
