// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
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

/// Limit on the memory of the request bodies of all connections together. Bodies are read before the client is
/// admitted, so a limit per body alone would let a client use up the memory with many connections. Thread-safe.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit) noexcept : limit_(limit) {}

  /// Reservation of one connection; released when it is destroyed. Not thread-safe. The budget must outlive it.
  class Share {
   public:
    explicit Share(BodyBudget& budget) noexcept : budget_(budget) {}
    ~Share() { resize(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Changes the reservation to `bytes`. Returns false and keeps the current reservation if the budget is exceeded.
    bool resize(std::size_t bytes) noexcept;

   private:
    BodyBudget& budget_;
    std::size_t bytes_ = 0;
  };

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> reserved_{0};
};

/// Counts the connections of a server, in total and per client address, and enforces the limits. Thread-safe.
class ConnectionCount {
 public:
  struct Limits {
    std::size_t total = 0;
    std::size_t per_address = 0;
  };
  enum class AdmitResult {
    Admitted,
    OverLimit,  ///< only one request, which gets a 503
    Rejected,
  };

  explicit ConnectionCount(const Limits& limits) : limits_(limits) {}

  /// Counts a new connection. The limit per address does not apply to a proxy, which serves many clients. Call remove()
  /// for every connection, whatever the result.
  AdmitResult add(const Peer& peer, bool is_proxy);
  void remove(const Peer& peer);

  struct Stats {
    std::size_t open = 0;
    std::uint64_t opened = 0;   ///< since the start
    std::uint64_t refused = 0;  ///< number of opened connections above a limit
  };
  Stats stats() const;

  /// Waits until there is no connection, for at most `timeout`.
  void wait_until_empty(std::chrono::milliseconds timeout);

 private:
  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::size_t total_ = 0;
  std::uint64_t opened_ = 0;
  std::uint64_t refused_ = 0;
  std::unordered_map<std::string, std::size_t> by_address_;
};

}  // namespace kbase::http
