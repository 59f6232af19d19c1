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

/// Answers requests of the interface: identifies the client, charges its quota, checks in the order of
/// docs/guide/errors.md, asks the endpoint, and gives the answer everything that all answers carry.
class ApiHandler final : public RequestHandler {
 public:
  /// What `services` refer to outlives it.
  ApiHandler(const ServerOptions& options, const Services& services, NetworkSet trusted_proxies);

  bool is_trusted_proxy(const NetworkAddress& address) const noexcept override {
    return trusted_proxies_.contains(address);
  }
  RouteMatch match(const Request& request) const override;
  std::optional<ports::UserAnswer> kept(const RouteMatch& match) const override;
  bool is_inline(const RequestContext& arrival) const override;
  Executor& executor_of(const RouteMatch& match) const override;
  bool needs_client(const RouteMatch& match) const override;

  /// What an endpoint throws is a 500.
  Response respond(const RequestContext& arrival) override;

  /// 503, charged to nobody. Health and OPTIONS answer all the same.
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
  /// What was sent, for the log and the metrics.
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
