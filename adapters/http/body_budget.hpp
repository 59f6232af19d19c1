// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kbase::http {

/// The bytes that the request bodies of all connections may take together: a body is read before anybody knows whether
/// its sender may ask, so a limit for each alone would leave the memory to whoever opens many connections. Any thread.
class BodyBudget {
 public:
  explicit BodyBudget(std::uint64_t limit) noexcept : limit_(limit) {}

  /// What one connection takes of it, until it goes. One thread; the budget outlives it.
  class Share {
   public:
    explicit Share(BodyBudget& budget) noexcept : budget_(budget) {}
    ~Share() { resize(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// False: there is no room for so much; the share stays as it was.
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
