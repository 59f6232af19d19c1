// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "adapters/http/connection_count.hpp"
#include "adapters/http/server_options.hpp"
#include "adapters/http/services.hpp"
#include "domain/model/result.hpp"

namespace kbase::http {

class RequestHandler;
struct EdgeServices;

/// The HTTP interface (docs/guide) on Pistache's listener and reactor threads. Listens from start() to drain(), or to
/// its end, which cuts connections off. The executor must have finished or dropped all of the server's work before what
/// `services` refer to goes. One thread calls.
class Server {
 public:
  /// InvalidArgument: an option is wrong, with its name as `parameter`. Unavailable: the address cannot be listened on.
  static model::Result<std::unique_ptr<Server>> start(const ServerOptions& options, const Services& services);

  /// A server for the operator's tools instead, on the same edge.
  static model::Result<std::unique_ptr<Server>> start_admin(const ServerOptions& options,
                                                            const AdminServices& services);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The port it listens on.
  std::uint16_t port() const noexcept;

  /// Any thread.
  ConnectionCount::Stats connections() const;

  /// When the reactor thread that has come round least lately did so; each does ten times a second. Any thread.
  std::chrono::steady_clock::time_point last_turn() const;

  /// Takes no more connections, answers what is in flight and says `Connection: close`, and returns when all are
  /// closed or drain_timeout has passed.
  void drain();

 private:
  class Listening;
  explicit Server(std::unique_ptr<Listening> listening);
  static model::Result<std::unique_ptr<Server>> listen(const ServerOptions& options, const EdgeServices& services,
                                                       std::unique_ptr<RequestHandler> request_handler);

  std::unique_ptr<Listening> listening_;
};

}  // namespace kbase::http
