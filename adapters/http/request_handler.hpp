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

/// A whole request and what its connection knows about it; lives while it is being answered.
struct RequestContext {
  const Request& request;
  RouteMatch match;  ///< of the request, with what is kept for it
  const Peer& peer;
  std::chrono::steady_clock::time_point arrived;
  Response::Connection connection = Response::Connection::Close;  ///< what becomes of it after the answer
  const std::atomic<bool>* cancel = nullptr;                      ///< see ports::Call
  ResponseStream* outlet = nullptr;  ///< for a body that is sent while it is being made; null: there can be none
};

/// Who makes answers of requests; knows nothing of sockets. Any thread.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  /// Whether many clients may stand behind this address.
  virtual bool is_trusted_proxy(const NetworkAddress& address) const noexcept = 0;

  virtual RouteMatch match(const Request& request) const = 0;

  /// An answer that is there already. Looked for once, and handed on with the request: who finds none later would wait
  /// for a service outside on a thread that is for everybody.
  virtual std::optional<ports::UserAnswer> kept(const RouteMatch& match) const = 0;

  /// Whether answering never blocks longer than a page fault.
  virtual bool is_inline(const RequestContext& arrival) const = 0;

  /// Where it is answered otherwise.
  virtual Executor& executor_of(const RouteMatch& match) const = 0;

  /// Whether it is only for a client that stays: one that sends no more has left then.
  virtual bool needs_client(const RouteMatch& match) const = 0;

  /// Throws nothing but for want of memory.
  virtual Response respond(const RequestContext& arrival) = 0;

  /// The answer where there is no room for the work.
  virtual Response overloaded(const RequestContext& arrival) = 0;

  /// The answer to what is no request, with what is understood of it; the connection closes.
  virtual Response refuse(const Refusal& refusal, const Request& request, const Peer& peer) = 0;
};

}  // namespace kbase::http
