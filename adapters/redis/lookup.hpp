// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "adapters/redis/endpoint.hpp"

namespace kbase::redis {

/// An address as the system's calls take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

/// The search for the addresses of a host. The C library offers none that can be given up, so a name is looked up on a
/// thread of its own; an address needs none. The end of a search waits for that thread, which is as patient as the
/// resolver's configuration says.
class Lookup {
 public:
  explicit Lookup(const Endpoint& endpoint);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  bool is_done() const { return is_done_; }

  /// Readable once the search is done; -1 where it was so at once.
  int awaited() const { return event_; }

  /// Once it is done. Empty: there is none, and error() says why.
  const std::vector<SocketAddress>& addresses() const { return addresses_; }
  const std::string& error() const { return error_; }

 private:
  /// `flags` are those of getaddrinfo.
  void search(int flags);
  void search_by_name() noexcept;

  const Endpoint endpoint_;
  std::vector<SocketAddress> addresses_;
  std::string error_;
  std::atomic<bool> is_done_{false};
  int event_ = -1;
  std::thread thread_;
};

}  // namespace kbase::redis
