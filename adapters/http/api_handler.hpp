// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/client_address.hpp"
#include "adapters/http/request_handler.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/server.hpp"
#include "adapters/http/services.hpp"
#include "adapters/http/static_content.hpp"
#include "adapters/http/telemetry.hpp"
#include "adapters/http/visitor_cookie.hpp"

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
  Executor* prepare(RequestContext& context) const override;
  std::optional<HttpResponse> respond_quickly(RequestContext& context, Executor& executor) override;
  bool needs_client(const RouteMatch& match) const override;
  std::optional<std::uint64_t> upload_limit(const RouteMatch& match, const Request& request) const override;

  /// An exception of an endpoint becomes a 500.
  HttpResponse respond(const RequestContext& context) override;

  /// Returns 503 and charges no one. Requests that are free of charge, such as /health and OPTIONS, are answered
  /// normally.
  HttpResponse overloaded(const RequestContext& context) override;
  HttpResponse refuse(const Refusal& refusal, const Request& request, const Peer& peer) override;

 private:
  enum class Load { Normal, Overloaded };

  std::optional<HttpResponse> serve(const RequestContext& context, Load load,
                                    std::optional<ports::Admission>* admitted = nullptr);
  std::chrono::milliseconds time_limit(const RouteMatch& match) const;
  Peer identify_client(const Request& request, const Peer& peer);
  std::optional<Reply> check_and_call(const RequestContext& context, const ports::Admission& admission,
                                      EventStreamWriter& stream, ports::Call& call, model::Instant now);
  bool shows_page(const RequestContext& context) const;
  std::string origin_of(const RequestContext& context) const;
  Reply make_problem_reply(const RequestContext& context, const Problem& problem, model::Instant now) const;
  Reply make_file_reply(const RequestContext& context, model::Instant now) const;
  Reply make_options_reply(const RequestContext& context, model::Instant now) const;
  std::optional<Reply> call_endpoint(const RequestContext& context, const ports::Admission& admission,
                                     EventStreamWriter& stream, ports::Call& call, model::Instant now);
  Reply make_failure_reply(const RequestContext& context, std::string_view request_id, std::string_view cause,
                           model::Instant now) const;
  /// Status and size of a sent response, for the log and the metrics.
  struct SentResponse {
    HttpStatus status;
    std::size_t head_bytes;
    std::size_t body_bytes;
  };
  void record(const RequestContext& context, const Peer& client, const ports::Admission& admission,
              std::string_view request_id, const SentResponse& sent) const;
  Problem make_denial(const ports::Admission& admission, model::Instant now) const;
  HttpResponse compose(const RequestContext& context, Reply reply, const ports::Admission& admission,
                       model::Instant now, std::string_view request_id) const;

  const ServerOptions options_;
  const Services services_;
  NetworkSet trusted_proxies_;
  const PreparedBody description_;
  Router router_;
  Router page_router_;
  Site site_;
  CorsPolicy cors_;
  RequestIds request_ids_;
  VisitorCookie visitor_cookie_;
  AccessLog access_log_;
  ForwardingWarning forwarding_warning_;
  HttpMetrics metrics_;
  std::string edition_;
};

}  // namespace kbase::http
