// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "adapters/http/access_log.hpp"
#include "adapters/http/cors.hpp"
#include "adapters/http/forwarding_warning.hpp"
#include "adapters/http/http_metrics.hpp"
#include "adapters/http/request_handler.hpp"
#include "adapters/http/request_ids.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/server_options.hpp"
#include "adapters/http/services.hpp"
#include "adapters/http/site.hpp"

namespace kbase::http {

/// Handles API requests: identifies the client, charges its rate limit, performs the checks of docs/guide/errors.md in
/// their order, calls the endpoint and adds the header fields that all responses have. Thread-safe.
class ApiHandler final : public RequestHandler {
 public:
  /// The objects that `services` refers to must outlive this one.
  ApiHandler(const ServerOptions& options, const Services& services, NetworkSet trusted_proxies);

  bool is_trusted_proxy(const NetworkAddress& address) const noexcept override {
    return trusted_proxies_.contains(address);
  }
  RouteMatch match(const Request& request) const override;
  std::optional<ports::UserAnswer> kept(const RouteMatch& match) const override;
  bool is_inline(const RequestContext& arrival) const override;
  Executor& executor_of(const RouteMatch& match) const override;
  bool needs_client(const RouteMatch& match) const override;

  /// An exception of an endpoint becomes a 500.
  Response respond(const RequestContext& arrival) override;

  /// Returns 503 and charges no one. Requests that are free of charge, such as /health and OPTIONS, are answered
  /// normally.
  Response overloaded(const RequestContext& arrival) override;
  Response refuse(const Refusal& refusal, const Request& request, const Peer& peer) override;

 private:
  enum class Room { Enough, None };

  Response serve(const RequestContext& arrival, Room room);
  std::chrono::milliseconds time_for(const RouteMatch& match) const;
  bool needs_key(const Route& route) const;
  Peer identify(const Request& request, const Peer& peer);
  ports::Admission admit(const RequestContext& arrival, const ports::Client& client, ports::Call& call);
  Answer answer(const RequestContext& arrival, const ports::Admission& admission, AnswerStream& stream,
                ports::Call& call, model::Instant now);
  Answer show_page(const RequestContext& arrival, model::Instant now) const;
  Answer answer_options(const RequestContext& arrival, model::Instant now) const;
  Answer ask(const RequestContext& arrival, const ports::Admission& admission, AnswerStream& stream, ports::Call& call,
             model::Instant now);
  Answer failed(std::string_view request_id, std::string_view cause, model::Instant now) const;
  /// Status and size of a sent response, for the log and the metrics.
  struct Sent {
    Status status;
    std::size_t head_bytes;
    std::size_t body_bytes;
  };
  void tell(const RequestContext& arrival, const Peer& client, const ports::Admission& admission,
            std::string_view request_id, const Sent& sent) const;
  Answer denied(const ports::Admission& admission, model::Instant now) const;
  Response finish(const RequestContext& arrival, Answer answer, const ports::Admission& admission, model::Instant now,
                  std::string_view request_id) const;

  const ServerOptions options_;
  const Services services_;
  NetworkSet trusted_proxies_;
  const PreparedBody description_;
  Router router_;
  Site site_;
  CorsPolicy cors_;
  RequestIds request_ids_;
  AccessLog access_log_;
  ForwardingWarning forwarding_warning_;
  HttpMetrics metrics_;
  std::string edition_;
};

}  // namespace kbase::http
