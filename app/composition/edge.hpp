// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/server.hpp"
#include "adapters/markup/library_markup.hpp"
#include "adapters/pages/pages.hpp"
#include "app/composition/insights.hpp"
#include "app/composition/parts.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/content_writer.hpp"
#include "app/runtime/refusal_log.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

/// Reserves the ports of both listeners. Errors are those of http::ReservedPort::take().
Result<std::vector<http::ReservedPort>> reserve_ports(const config::Settings& settings);

/// The listeners for clients and administrators, and the thread pools that run their requests.
class Edge {
 public:
  /// All members must outlive this object.
  struct Dependencies {
    Environment& env;
    Storage& storage;
    Search& search;
    Upstreams& upstreams;
    Health& health;
    Access& access;
    ports::Accounts* accounts;  ///< null: there is no sign-up
    Insights& insights;
  };
  /// Starts the thread pools.
  explicit Edge(const Dependencies& deps);

  /// Starts the admin listener if one is configured.
  Status start_admin();

  /// Starts the API server, after which the server is ready.
  Status start_server();

  /// "http://ADDRESS:PORT/api/v1". Requires a started server.
  std::string url() const;

  /// "http://ADDRESS:PORT", or that of this machine if the server listens on all addresses. Requires a started server.
  std::string site_url() const;

  /// See Service::last_iteration().
  std::chrono::steady_clock::time_point last_iteration() const;

  /// Stops accepting connections and finishes the requests in flight within the drain timeout.
  void drain_server() { server_->drain(); }
  void drain_admin();

 private:
  const Dependencies deps_;
  markup::LibraryMarkup markup_;
  runtime::ContentWriter writer_;  // outlives the pools, whose threads use it
  const std::unique_ptr<runtime::WorkerPool> store_pool_, search_pool_, both_pool_, codehost_pool_, llm_pool_,
      writing_pool_;
  std::array<runtime::RefusalLog, 6> refusals_;                            // of the pools above
  std::atomic<std::chrono::steady_clock::time_point> queue_timeout_tick_;  // last iteration of the task below
  runtime::PeriodicTask queue_timeout_task_;
  std::unique_ptr<pages::Pages> pages_;  // null: the site is disabled
  std::unique_ptr<http::Server> server_, admin_;
};

}  // namespace kbase::composition
