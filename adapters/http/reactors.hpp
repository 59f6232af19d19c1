// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "adapters/http/body_budget.hpp"
#include "adapters/http/connection_count.hpp"
#include "adapters/http/loop_turns.hpp"
#include "adapters/http/request_handler.hpp"
#include "adapters/http/server_options.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// Services used by the transport. They must outlive the server.
struct EdgeServices {
  ports::Clock& clock;
  ports::EventLog& log;
};

/// State shared by the reactor threads of one server and the tasks they gave to an executor. Thread-safe.
class Reactors {
 public:
  Reactors(const ServerOptions& server_options, const EdgeServices& edge_services,
           std::unique_ptr<RequestHandler> who_answers, const ConnectionCount::Limits& limits)
      : options(server_options),
        services(edge_services),
        request_handler(std::move(who_answers)),
        connections(limits),
        bodies(server_options.max_body_bytes_total) {}

  const ServerOptions options;
  const EdgeServices services;
  const std::unique_ptr<RequestHandler> request_handler;
  ConnectionCount connections;
  BodyBudget bodies;
  LoopTurns turns;

  bool is_draining() const noexcept { return draining_.load(std::memory_order_relaxed); }
  void start_draining() noexcept { draining_ = true; }

 private:
  std::atomic<bool> draining_{false};
};

}  // namespace kbase::http
