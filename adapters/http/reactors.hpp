// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

#include "adapters/http/responder.hpp"
#include "adapters/http/server_options.hpp"
#include "adapters/http/services.hpp"

namespace kbase::http {

/// What the reactor threads of one server share, and the tasks they gave to the executor. Any thread.
class Reactors {
 public:
  Reactors(const ServerOptions& server_options, const Services& server_services, NetworkSet trusted_proxies,
           std::size_t connection_limit)
      : options(server_options),
        services(server_services),
        max_connections(connection_limit),
        responder(options, services, std::move(trusted_proxies)) {}

  const ServerOptions options;
  const Services services;
  const std::size_t max_connections;
  Responder responder;

  /// Counts a new connection; returns how many there were.
  std::size_t add_connection() noexcept { return connections_.fetch_add(1); }

  void remove_connections(std::size_t count) {
    if (connections_.fetch_sub(count) != count) return;
    const std::lock_guard lock(mutex_);
    emptied_.notify_all();
  }

  bool is_draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
  void start_draining() noexcept { draining_ = true; }

  /// Waits until no connection is left, but no longer than `timeout`.
  void wait_until_empty(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    emptied_.wait_for(lock, timeout, [this] { return connections_ == 0; });
  }

 private:
  std::atomic<std::size_t> connections_{0};
  std::atomic<bool> draining_{false};
  std::mutex mutex_;
  std::condition_variable emptied_;
};

}  // namespace kbase::http
