// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "adapters/http/request_handler.hpp"
#include "adapters/http/server_limits.hpp"
#include "adapters/http/server_options.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// Queue of tasks for a reactor thread. Other threads hold shared ownership, so it can outlive the reactor; tasks
/// posted after close() are dropped. post() is thread-safe; only the reactor thread calls run().
class Mailbox {
 public:
  /// Throws std::system_error if eventfd(2) fails.
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Returns a descriptor that becomes readable when a task is posted.
  int descriptor() const noexcept { return event_fd_; }

  /// Queues `work` for the reactor thread. Tasks run in the order in which they were posted.
  void post(std::function<void()> work);

  /// Runs all queued tasks. Reads the event before it takes the tasks, so that no task remains without an event.
  void run();

  /// Drops all tasks; none runs afterwards.
  void close();

 private:
  int event_fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  bool closed_ = false;
};

/// Times of the last iteration of several event loops, used to detect a loop that hangs. Thread-safe.
class LoopHeartbeats {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Heartbeat = std::atomic<Time>;

  /// Registers a loop. The loop stores the time of each iteration in the returned object, which is valid for the
  /// lifetime of this one.
  Heartbeat& add(Time now) {
    const std::lock_guard lock(mutex_);
    return loops_.emplace_back(now);
  }

  /// Returns the oldest of the last iteration times, or Time::max() if there is no loop.
  Time oldest() const {
    const std::lock_guard lock(mutex_);
    Time oldest = Time::max();
    for (const Heartbeat& heartbeat : loops_) oldest = std::min(oldest, heartbeat.load(std::memory_order_relaxed));
    return oldest;
  }

 private:
  mutable std::mutex mutex_;
  std::list<Heartbeat> loops_;
};

/// Services used by the transport. They must outlive the server.
struct TransportServices {
  ports::Clock& clock;
  ports::EventLog& log;
};

/// State shared by the reactor threads of one server and the tasks they gave to an executor. Thread-safe.
class Reactors {
 public:
  Reactors(const ServerOptions& server_options, const TransportServices& transport_services,
           std::unique_ptr<RequestHandler> handler, const ConnectionCount::Limits& limits)
      : options(server_options),
        services(transport_services),
        request_handler(std::move(handler)),
        connections(limits),
        bodies(server_options.max_body_bytes_total) {}

  const ServerOptions options;
  const TransportServices services;
  const std::unique_ptr<RequestHandler> request_handler;
  ConnectionCount connections;
  BodyBudget bodies;
  LoopHeartbeats heartbeats;

  bool is_draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
  void start_draining() noexcept { draining_ = true; }

 private:
  std::atomic<bool> draining_{false};
};

}  // namespace kbase::http
