// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/http/client_address.hpp"

namespace kbase::http {

/// Counts the connections of a server, in total and per client address, and enforces the limits. Thread-safe.
class ConnectionCount {
 public:
  struct Limits {
    std::size_t all = 0;
    std::size_t of_an_address = 0;
  };
  enum class Room {
    Enough,
    Little,  ///< only one request, which gets a 503
    None,
  };

  explicit ConnectionCount(const Limits& limits) : limits_(limits) {}

  /// Counts a new connection. The limit per address does not apply to a proxy, which serves many clients. Call remove()
  /// for every connection, whatever the result.
  Room add(const Peer& peer, bool is_proxy);
  void remove(const Peer& peer);

  struct Stats {
    std::size_t open = 0;
    std::uint64_t opened = 0;   ///< since the start
    std::uint64_t refused = 0;  ///< number of opened connections above a limit
  };
  Stats stats() const;

  /// Waits until there is no connection, for at most `timeout`.
  void wait_until_none(std::chrono::milliseconds timeout);

 private:
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::size_t all_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

}  // namespace kbase::http
