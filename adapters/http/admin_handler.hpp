// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/http/answer.hpp"
#include "adapters/http/executor.hpp"
#include "adapters/http/request_handler.hpp"
#include "adapters/http/request_ids.hpp"
#include "adapters/http/services.hpp"

namespace kbase::http {

/// Handles the admin endpoints: /metrics, /livez and /readyz. No API keys, rate limits, CORS or access log. Never
/// blocks, so it also works while the server is overloaded or draining. Thread-safe.
class AdminHandler final : public RequestHandler {
 public:
  explicit AdminHandler(const AdminServices& services) : services_(services), request_ids_(services.random) {}

  bool is_trusted_proxy(const NetworkAddress&) const noexcept override { return false; }
  RouteMatch match(const Request&) const override { return {}; }
  std::optional<ports::UserAnswer> kept(const RouteMatch&) const override { return std::nullopt; }
  bool is_inline(const RequestContext&) const override { return true; }
  /// Rejects all work: every response is computed on the reactor thread.
  Executor& executor_of(const RouteMatch&) const override { return executor_; }
  bool needs_client(const RouteMatch&) const override { return false; }
  Response respond(const RequestContext& arrival) override;
  Response overloaded(const RequestContext& arrival) override;
  Response refuse(const Refusal& refusal, const Request& request, const Peer& peer) override;

 private:
  struct Page;
  class NoExecutor final : public Executor {
   public:
    bool try_submit(Work) override { return false; }
  };

  Page page_of(const Request& request) const;
  Page metrics() const;
  Page readiness() const;
  Page problem_page(Status status, std::string message) const;
  Response compose(Page page, const Request& request, Response::Connection connection);

  const AdminServices services_;
  RequestIds request_ids_;
  mutable NoExecutor executor_;
};

}  // namespace kbase::http
