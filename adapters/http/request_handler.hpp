// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "adapters/http/answer_stream.hpp"
#include "adapters/http/client_address.hpp"
#include "adapters/http/executor.hpp"
#include "adapters/http/refusal.hpp"
#include "adapters/http/request.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/router.hpp"

namespace kbase::http {

/// A complete request with its connection state. Valid while the request is handled.
struct RequestContext {
  const Request& request;
  RouteMatch match;  ///< route of the request and its cached reply
  const Peer& peer;
  std::chrono::steady_clock::time_point arrived;
  Response::Connection connection = Response::Connection::Close;  ///< connection state after the response
  const std::atomic<bool>* cancel = nullptr;                      ///< see ports::Call
  ResponseStream* outlet = nullptr;  ///< stream for a body that is sent while it is computed; null: not available
};

/// Handler that turns requests into responses, independent of sockets. Thread-safe.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  /// Returns whether the address is a proxy, which may serve many clients.
  virtual bool is_trusted_proxy(const NetworkAddress& address) const noexcept = 0;

  virtual RouteMatch match(const Request& request) const = 0;

  /// Returns the cached reply, if there is one. Called once per request, and the result is passed on with the request,
  /// so that a later cache miss cannot block the reactor thread on an upstream service.
  virtual std::optional<ports::UserAnswer> kept(const RouteMatch& match) const = 0;

  /// Returns whether the request can be handled without blocking for longer than a page fault.
  virtual bool is_inline(const RequestContext& arrival) const = 0;

  /// Returns the executor for requests that may block.
  virtual Executor& executor_of(const RouteMatch& match) const = 0;

  /// Returns whether the request is canceled when the client closes its sending side.
  virtual bool needs_client(const RouteMatch& match) const = 0;

  /// Handles the request. Throws only std::bad_alloc.
  virtual Response respond(const RequestContext& arrival) = 0;

  /// Returns the response for a request that could not be queued.
  virtual Response overloaded(const RequestContext& arrival) = 0;

  /// Returns the response to an invalid message. `request` holds what could be parsed. The connection is closed
  /// afterwards.
  virtual Response refuse(const Refusal& refusal, const Request& request, const Peer& peer) = 0;
};

}  // namespace kbase::http
