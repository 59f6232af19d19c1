// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "adapters/http/server_limits.hpp"
#include "adapters/http/server_options.hpp"
#include "adapters/http/services.hpp"
#include "domain/base/result.hpp"

namespace kbase::http {

class RequestHandler;
struct TransportServices;

/// HTTP API server (docs/guide) on Pistache's listener and reactor threads. Listens from start() until drain() or its
/// destruction, which closes all connections. Before the objects that `services` refers to are destroyed, the executors
/// must have finished or dropped all work of the server. Not thread-safe, except where noted.
class Server {
 public:
  /// Returns InvalidArgument with the name of the option in `parameter` if an option is invalid, Unavailable if the
  /// server cannot listen on the address.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, const Services& services);

  /// Starts a server for the admin endpoints. Errors are those of start().
  static Result<std::unique_ptr<Server>> start_admin(const ServerOptions& options, const AdminServices& services);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Returns the port on which the server listens.
  std::uint16_t port() const noexcept;

  /// Thread-safe.
  ConnectionCount::Stats connections() const;

  /// Returns the oldest of the last iteration times of the reactor threads; each iterates at least ten times per
  /// second. Thread-safe.
  std::chrono::steady_clock::time_point last_iteration() const;

  /// Stops accepting connections and answers pending requests with `Connection: close`. Returns when all connections
  /// are closed, or after drain_timeout.
  void drain();

 private:
  class Listener;
  explicit Server(std::unique_ptr<Listener> listener);
  static Result<std::unique_ptr<Server>> listen(const ServerOptions& options, const TransportServices& services,
                                                std::unique_ptr<RequestHandler> request_handler);

  std::unique_ptr<Listener> listener_;
};

}  // namespace kbase::http
