// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "adapters/redis/endpoint.hpp"

namespace kbase::redis {

/// A socket address for system calls.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

/// Asynchronous lookup of the addresses of a host. The C library has no lookup that can be cancelled, so a name is
/// resolved on a separate thread; an address needs none. The destructor waits for that thread, as long as the timeouts
/// of the resolver's configuration.
class Lookup {
 public:
  explicit Lookup(const Endpoint& endpoint);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  bool is_done() const { return is_done_; }

  /// File descriptor that is readable when the lookup is done; -1 if it was done at once.
  int awaited() const { return event_; }

  /// Result, once the lookup is done. Empty: no address; error() has the reason.
  const std::vector<SocketAddress>& addresses() const { return addresses_; }
  const std::string& error() const { return error_; }

 private:
  /// `flags`: flags of getaddrinfo.
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
