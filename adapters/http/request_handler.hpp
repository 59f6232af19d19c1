// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "adapters/http/client_address.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/services.hpp"
#include "adapters/http/upload_pipe.hpp"
#include "ports/driving/access.hpp"

namespace kbase::http {

/// A complete request with its connection state. Valid while the request is handled.
struct RequestContext {
  const Request& request;
  RouteMatch match;
  const Peer& peer;
  std::chrono::steady_clock::time_point arrived;
  HttpResponse::Connection connection = HttpResponse::Connection::Close;  ///< connection state after the response
  const std::atomic<bool>* cancel = nullptr;                              ///< see ports::Call
  ResponseStream* response_stream =
      nullptr;  ///< stream for a body that is sent while it is computed; null: not available
  std::optional<Reply> prepared_reply = {};        ///< see RequestHandler::prepare()
  std::optional<ports::Admission> admission = {};  ///< set if the request was counted, see respond_quickly()
  UploadPipe* upload = nullptr;                    ///< the body, if it is passed on while it arrives
};

/// Handler that turns requests into responses, independent of sockets. Thread-safe.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  /// Returns whether the address is a proxy, which may serve many clients.
  virtual bool is_trusted_proxy(const NetworkAddress& address) const noexcept = 0;

  virtual RouteMatch match(const Request& request) const = 0;

  /// Returns the executor for a request that may block. Null: the request can be handled without blocking for longer
  /// than a page fault, so it needs no other thread. Sets `prepared_reply` if the reply is available without blocking.
  /// Called once per request.
  virtual Executor* prepare(RequestContext& context) const = 0;

  /// Tries to handle a request for which prepare() returned `executor`, without blocking for longer than a page fault.
  /// nullopt: the executor must handle it. If the request was counted, `admission` is set, and the request can no
  /// longer be refused. Throws only std::bad_alloc.
  virtual std::optional<HttpResponse> respond_quickly(RequestContext& context, Executor& executor) = 0;

  /// Returns whether the request is canceled when the client closes its sending side.
  virtual bool needs_client(const RouteMatch& match) const = 0;

  /// Returns the largest body of the request if it is passed on while it arrives, else nullopt.
  virtual std::optional<std::uint64_t> upload_limit(const RouteMatch& match, const Request& request) const = 0;

  /// Handles the request. Throws only std::bad_alloc.
  virtual HttpResponse respond(const RequestContext& context) = 0;

  /// Returns the response for a request that could not be queued.
  virtual HttpResponse overloaded(const RequestContext& context) = 0;

  /// Returns the response to an invalid message. `request` holds what could be parsed. The connection is closed
  /// afterwards.
  virtual HttpResponse refuse(const Refusal& refusal, const Request& request, const Peer& peer) = 0;
};

struct AdminServices;

/// Returns the handler of the admin endpoints: /metrics, /livez and /readyz. No API keys, rate limits, CORS or access
/// log. Never blocks, so it also works while the server is overloaded or draining.
std::unique_ptr<RequestHandler> make_admin_handler(const AdminServices& services);

}  // namespace kbase::http
