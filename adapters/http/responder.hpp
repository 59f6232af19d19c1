// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "adapters/http/client_address.hpp"
#include "adapters/http/cors.hpp"
#include "adapters/http/refusal.hpp"
#include "adapters/http/request.hpp"
#include "adapters/http/request_ids.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/server_options.hpp"
#include "adapters/http/services.hpp"

namespace kbase::http {

/// A whole request and what its connection knows about it; lives while it is being answered.
struct Arrival {
  const Request& request;
  RouteMatch match;  ///< as Responder::match gave it for the request
  const Peer& peer;
  std::chrono::steady_clock::time_point arrived;
  Response::Connection connection = Response::Connection::Close;  ///< what becomes of it after the answer
  const std::atomic<bool>* cancel = nullptr;                      ///< see ports::Call
};

/// Makes answers of requests: identifies the client, charges its quota, checks in the contract's order, asks the
/// endpoint, and gives the answer everything that all answers carry. Knows nothing of sockets. Any thread.
class Responder {
 public:
  /// `options` and `services` outlive it.
  Responder(const ServerOptions& options, const Services& services, NetworkSet trusted_proxies);

  RouteMatch match(const Request& request) const { return router_.match(request.target()); }

  /// Whether answering never blocks longer than a page fault.
  bool is_inline(const RouteMatch& match) const;

  /// Never throws what an endpoint throws: that is a 500.
  Response respond(const Arrival& arrival);

  /// The answer where there is no room for the work: 503, charged to nobody. Health and OPTIONS answer all the same.
  Response overloaded(const Arrival& arrival);

  /// The answer to what is no request; the connection closes.
  Response refuse(const Refusal& refusal);

 private:
  enum class Room { Enough, None };

  Response serve(const Arrival& arrival, Room room);
  ports::Admission admit(const Arrival& arrival, ports::Call& call);
  Answer answer(const Arrival& arrival, const ports::Admission& admission, ports::Call& call, model::Instant now);
  Answer answer_options(const Arrival& arrival, model::Instant now) const;
  Answer ask(const Arrival& arrival, ports::Call& call, model::Instant now);
  Answer failed(std::string_view request_id, std::string_view cause, model::Instant now) const;
  Answer denied(const ports::Admission& admission, model::Instant now) const;
  Response finish(const Arrival& arrival, Answer answer, const ports::Admission& admission, model::Instant now,
                  std::string_view request_id);

  const ServerOptions& options_;
  const Services& services_;
  NetworkSet trusted_proxies_;
  Router router_;
  CorsPolicy cors_;
  RequestIds request_ids_;
  std::string edition_;
};

}  // namespace kbase::http
