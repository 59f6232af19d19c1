// SPDX-License-Identifier: Apache-2.0
#include "tests/support/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace kbase::tests {

namespace {

/// Returns the lower end of the range from which Linux assigns ports to sockets that bind to port 0 (ip(7)).
int lowest_given() {
  int lowest = 32'768;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> lowest;
  return lowest;
}

/// Claims the port for this process until it ends, whether or not a server listens on it. Returns false if another test
/// has claimed it. The claim is an abstract Unix socket (unix(7)): its name is unique, and it disappears with its
/// process. free_port.py uses the same names.
bool claim(std::uint16_t port) {
  const std::string name = "kbase-test-port-" + std::to_string(port);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket, reinterpret_cast<sockaddr*>(&address), length) == 0) return true;  // stays open
  ::close(socket);
  return false;
}

bool is_free(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const bool is_bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return is_bound;
}

}  // namespace

std::uint16_t free_port() {
  constexpr int kTries = 1000;
  std::random_device random;
  const int end = lowest_given();
  std::uniform_int_distribution<int> ports(end / 2, end - 1);
  for (int i = 0; i < kTries; ++i)
    if (const auto port = static_cast<std::uint16_t>(ports(random)); claim(port) && is_free(port)) return port;
  throw std::runtime_error("no free port");
}

}  // namespace kbase::tests
