// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/base/date_field.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/request_handler.hpp"
#include "adapters/http/services.hpp"
#include "adapters/http/syntax.hpp"
#include "adapters/http/telemetry.hpp"

namespace kbase::http {
namespace {

constexpr std::string_view kJson = "application/json; charset=utf-8";

/// See make_admin_handler().
class AdminHandler final : public RequestHandler {
 public:
  explicit AdminHandler(const AdminServices& services) : services_(services), request_ids_(services.random) {}

  bool is_trusted_proxy(const NetworkAddress&) const noexcept override { return false; }
  RouteMatch match(const Request&) const override { return {}; }
  /// Every response is computed on the reactor thread.
  Executor* prepare(RequestContext&) const override { return nullptr; }

  std::optional<HttpResponse> respond_quickly(RequestContext& context, Executor&) override { return respond(context); }
  bool needs_client(const RouteMatch&) const override { return false; }
  std::optional<std::uint64_t> upload_limit(const RouteMatch&, const Request&) const override { return std::nullopt; }
  HttpResponse respond(const RequestContext& context) override {
    Page page;
    try {
      page = make_page(context.request);
    } catch (const std::exception& error) {
      const ports::LogField cause{"cause", error.what()};
      services_.log.log(ports::LogLevel::Error, "admin.failed", "A request to the admin listener failed.", {&cause, 1});
      page = make_problem_page(HttpStatus::Internal_Server_Error, "The server failed; the cause is in its log.");
    }
    return compose(std::move(page), context.request, context.connection);
  }
  HttpResponse overloaded(const RequestContext& context) override {
    return compose(make_problem_page(HttpStatus::Service_Unavailable, "The admin listener has too many connections."),
                   context.request, context.connection);
  }
  HttpResponse refuse(const Refusal& refusal, const Request& request, const Peer& peer) override;

 private:
  struct Page {
    HttpStatus status = HttpStatus::Ok;
    std::string body;
    std::string content_type{kJson};
    std::string fields;
  };

  Page make_page(const Request& request) const {
    const std::string_view path = split_target(request.target()).path;
    const bool is_insights = path == "/insights" && services_.insights_page;
    const bool is_known_path = path == "/metrics" || path == "/livez" || path == "/readyz" || is_insights;
    if (!is_known_path)
      return make_problem_page(HttpStatus::Not_Found,
                               services_.insights_page
                                   ? "There is no such path; the paths are /metrics, /livez, /readyz and /insights."
                                   : "There is no such path; the paths are /metrics, /livez and /readyz.");
    if (request.method() != "GET" && request.method() != "HEAD") {
      Page page = make_problem_page(HttpStatus::Method_Not_Allowed, "This path supports only GET and HEAD.");
      add_field(page.fields, "Allow", "GET, HEAD");
      return page;
    }
    if (path == "/metrics") return make_metrics_page();
    if (is_insights) return make_insights_page();
    if (path == "/readyz") return make_readiness_page();
    Page alive;
    alive.body = R"({"status":"alive"})";
    return alive;
  }
  Page make_metrics_page() const {
    ports::Metrics::Exposition exposition = services_.metrics.expose();
    Page page;
    page.body = std::move(exposition.text);
    page.content_type = std::move(exposition.content_type);
    return page;
  }
  /// The texts of readers are escaped, and the page has neither scripts nor addresses of others.
  Page make_insights_page() const {
    Page page;
    page.body = services_.insights_page();
    page.content_type = "text/html; charset=utf-8";
    add_field(page.fields, "Content-Security-Policy",
              "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'");
    return page;
  }
  Page make_readiness_page() const {
    const auto obstacles = services_.readiness.obstacles();
    Page page;
    JsonWriter json(page.body);
    json.begin_object().key("status").text(obstacles.empty() ? "ready" : "not ready").key("obstacles").begin_array();
    for (const std::string_view obstacle : obstacles) json.text(obstacle);
    json.end_array().end_object();
    if (obstacles.empty()) return page;
    page.status = HttpStatus::Service_Unavailable;
    add_field(page.fields, "Retry-After", "1");
    return page;
  }
  Page make_problem_page(HttpStatus status, std::string message) const {
    Reply reply = make_reply(make_problem(status, std::move(message)), services_.clock.now());
    Page page;
    page.status = status;
    page.body = std::move(reply.body);
    page.fields = std::move(reply.fields);
    return page;
  }
  HttpResponse compose(Page page, const Request& request, HttpResponse::Connection connection) {
    HttpResponse response;
    response.status = page.status;
    response.connection = connection;
    std::string& head = response.head;
    head.append("HTTP/1.1 ").append(std::to_string(static_cast<int>(page.status))).append(" ");
    head.append(Pistache::Http::codeString(page.status)).append("\r\n");
    add_field(head, "Date", format_date(services_.clock.now(), "GMT"));
    add_field(head, "Content-Type", page.content_type);
    add_field(head, "Content-Length", std::to_string(page.body.size()));
    add_field(head, "Cache-Control", "no-store");
    add_field(head, "X-Request-Id", request_ids_.choose_id(request));
    add_field(head, "X-Content-Type-Options", "nosniff");
    head += page.fields;
    const bool closes = connection == HttpResponse::Connection::Close;
    if (closes || request.minor_version() == 0) add_field(head, "Connection", closes ? "close" : "keep-alive");
    head += "\r\n";
    if (request.method() != "HEAD") response.body = std::move(page.body);
    return response;
  }

  const AdminServices services_;
  RequestIds request_ids_;
};

HttpResponse AdminHandler::refuse(const Refusal& refusal, const Request& request, const Peer&) {
  return compose(make_problem_page(static_cast<HttpStatus>(refusal.status), std::string(refusal.message)), request,
                 HttpResponse::Connection::Close);
}

}  // namespace

std::unique_ptr<RequestHandler> make_admin_handler(const AdminServices& services) {
  return std::make_unique<AdminHandler>(services);
}

}  // namespace kbase::http
