// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/admin_handler.hpp"

#include <exception>
#include <string>

#include "adapters/http/json_writer.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/uri.hpp"

namespace kbase::http {
namespace {

constexpr std::string_view kJson = "application/json; charset=utf-8";

}  // namespace

struct AdminHandler::Page {
  Status status = Status::Ok;
  std::string body;
  std::string content_type{kJson};
  std::string fields;
};

Response AdminHandler::respond(const RequestContext& arrival) {
  Page page;
  try {
    page = page_of(arrival.request);
  } catch (const std::exception& error) {
    const ports::LogField cause{"cause", error.what()};
    services_.log.log(ports::LogLevel::Error, "admin.failed", "A request of the admin listener was not answered.",
                      {&cause, 1});
    page = problem_page(Status::Internal_Server_Error, "The server failed; its log has the cause.");
  }
  return compose(std::move(page), arrival.request, arrival.connection);
}

Response AdminHandler::overloaded(const RequestContext& arrival) {
  return compose(problem_page(Status::Service_Unavailable, "The admin listener has too many connections."),
                 arrival.request, arrival.connection);
}

Response AdminHandler::refuse(const Refusal& refusal, const Request& request, const Peer&) {
  return compose(problem_page(static_cast<Status>(refusal.status), std::string(refusal.message)), request,
                 Response::Connection::Close);
}

AdminHandler::Page AdminHandler::page_of(const Request& request) const {
  const std::string_view path = split_target(request.target()).path;
  const bool is_known = path == "/metrics" || path == "/livez" || path == "/readyz";
  if (!is_known) return problem_page(Status::Not_Found, "Here are /metrics, /livez and /readyz.");
  if (request.method() != "GET" && request.method() != "HEAD") {
    Page page = problem_page(Status::Method_Not_Allowed, "This can only be read.");
    add_field(page.fields, "Allow", "GET, HEAD");
    return page;
  }
  if (path == "/metrics") return metrics();
  if (path == "/readyz") return readiness();
  Page alive;
  alive.body = R"({"status":"alive"})";
  return alive;
}

AdminHandler::Page AdminHandler::metrics() const {
  ports::Metrics::Exposition exposition = services_.metrics.expose();
  Page page;
  page.body = std::move(exposition.text);
  page.content_type = std::move(exposition.content_type);
  return page;
}

AdminHandler::Page AdminHandler::readiness() const {
  const auto obstacles = services_.readiness.obstacles();
  Page page;
  JsonWriter json(page.body);
  json.begin_object().key("status").text(obstacles.empty() ? "ready" : "not ready").key("obstacles").begin_array();
  for (const std::string_view obstacle : obstacles) json.text(obstacle);
  json.end_array().end_object();
  if (obstacles.empty()) return page;
  page.status = Status::Service_Unavailable;
  add_field(page.fields, "Retry-After", "1");
  return page;
}

AdminHandler::Page AdminHandler::problem_page(Status status, std::string message) const {
  Answer answer = answer_of(problem(status, std::move(message)), services_.clock.now());
  Page page;
  page.status = status;
  page.body = std::move(answer.body);
  page.fields = std::move(answer.fields);
  return page;
}

Response AdminHandler::compose(Page page, const Request& request, Response::Connection connection) {
  Response response;
  response.status = page.status;
  response.connection = connection;
  std::string& head = response.head;
  head.append("HTTP/1.1 ").append(std::to_string(static_cast<int>(page.status))).append(" ");
  head.append(Pistache::Http::codeString(page.status)).append("\r\n");
  add_field(head, "Date", http_date(services_.clock.now()));
  add_field(head, "Content-Type", page.content_type);
  add_field(head, "Content-Length", std::to_string(page.body.size()));
  add_field(head, "Cache-Control", "no-store");
  add_field(head, "X-Request-Id", request_ids_.id_of(request));
  add_field(head, "X-Content-Type-Options", "nosniff");
  head += page.fields;
  const bool closes = connection == Response::Connection::Close;
  if (closes || request.minor_version() == 0) add_field(head, "Connection", closes ? "close" : "keep-alive");
  head += "\r\n";
  if (request.method() != "HEAD") response.body = std::move(page.body);
  return response;
}

}  // namespace kbase::http
