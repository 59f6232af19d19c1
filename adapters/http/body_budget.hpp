// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

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
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace kbase::http
