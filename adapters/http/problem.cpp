// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/problem.hpp"

#include <algorithm>
#include <array>

#include "adapters/http/json_writer.hpp"

namespace kbase::http {
namespace {

struct Entry {
  Status status;
  std::string_view code;
  std::string_view message;
};

constexpr std::array<Entry, 19> kProblems = {{
    {Status::Bad_Request, "BAD_REQUEST", "The request is malformed."},
    {Status::Unauthorized, "UNAUTHORIZED", "The API key is missing or not valid."},
    {Status::Forbidden, "FORBIDDEN", "The API key does not allow this."},
    {Status::Not_Found, "NOT_FOUND", "There is no such resource."},
    {Status::Method_Not_Allowed, "METHOD_NOT_ALLOWED", "This path does not answer this method."},
    {Status::Request_Timeout, "REQUEST_TIMEOUT", "The request did not arrive in time."},
    {Status::Request_Entity_Too_Large, "PAYLOAD_TOO_LARGE", "The body is larger than this server takes."},
    {Status::RequestURI_Too_Long, "URI_TOO_LONG", "The request line is too long."},
    {Status::Unsupported_Media_Type, "UNSUPPORTED_MEDIA_TYPE",
     "The body must be uncompressed JSON (Content-Type: application/json)."},
    {Status::Expectation_Failed, "EXPECTATION_FAILED", "Only the expectation 100-continue can be met."},
    {Status::Misdirected_Request, "MISDIRECTED_REQUEST", "This server does not serve this host."},
    {Status::Too_Many_Requests, "RATE_LIMIT_EXCEEDED", "The rate limit of the plan is exceeded."},
    {Status::Request_Header_Fields_Too_Large, "HEADERS_TOO_LARGE", "The header fields are too large."},
    {Status::Internal_Server_Error, "INTERNAL_ERROR", "Something went wrong here; X-Request-Id names it in the log."},
    {Status::Not_Implemented, "NOT_IMPLEMENTED", "Only the transfer coding chunked is understood."},
    {Status::Bad_Gateway, "UPSTREAM_ERROR", "The external service failed."},
    {Status::Service_Unavailable, "SERVICE_UNAVAILABLE", "The service cannot answer this now; try again later."},
    {Status::Gateway_Timeout, "UPSTREAM_TIMEOUT", "The external service did not answer in time."},
    {Status::HTTP_Version_Not_Supported, "HTTP_VERSION_NOT_SUPPORTED", "This server speaks HTTP/1.0 and HTTP/1.1."},
}};

constexpr std::chrono::seconds kDefaultRetry{5};

const Entry& entry_of(Status status) {
  const auto* found =
      std::find_if(kProblems.begin(), kProblems.end(), [&](const Entry& entry) { return entry.status == status; });
  return found != kProblems.end() ? *found : entry_of(Status::Internal_Server_Error);
}

Status status_of(model::ErrorCode code, Upstream upstream) {
  switch (code) {
    case model::ErrorCode::InvalidArgument:
      return Status::Bad_Request;
    case model::ErrorCode::NotFound:
      return Status::Not_Found;
    case model::ErrorCode::Unavailable:
    case model::ErrorCode::NoMemory:
    case model::ErrorCode::Cancelled:  // the client is gone
      return Status::Service_Unavailable;
    case model::ErrorCode::Deadline:
      return upstream == Upstream::Yes ? Status::Gateway_Timeout : Status::Service_Unavailable;
    case model::ErrorCode::BadUpstream:
      return Status::Bad_Gateway;
    case model::ErrorCode::Unsupported:
      return Status::Not_Implemented;
    case model::ErrorCode::Conflict:
    case model::ErrorCode::Gone:
    case model::ErrorCode::Corrupt:
    case model::ErrorCode::Internal:
      return Status::Internal_Server_Error;
  }
  return Status::Internal_Server_Error;
}

std::string parameter_details(const model::Error& error) {
  std::string details;
  JsonWriter(details).key("parameter").text(error.parameter).key("reason").text(error.message);
  return details;
}

/// Sets Retry-After if the time is known (not 0); otherwise keeps the default.
void set_retry_after(Problem& seen, std::chrono::milliseconds retry_after) {
  if (retry_after.count() > 0) seen.retry_after = std::chrono::ceil<std::chrono::seconds>(retry_after);
}

}  // namespace

Problem make_problem(Status status) {
  return make_problem(status, std::string(entry_of(status).message));
}

Problem make_problem(Status status, std::string message) {
  const auto retry = status == Status::Service_Unavailable ? kDefaultRetry : std::chrono::seconds(0);
  const std::string_view challenge = status == Status::Unauthorized ? "Bearer"
                                     : status == Status::Forbidden  ? "Bearer error=\"insufficient_scope\""
                                                                    : "";
  return {status, entry_of(status).code, std::move(message), {}, retry, challenge};
}

Problem make_unavailable(std::string message, std::chrono::milliseconds retry_after) {
  Problem seen = make_problem(Status::Service_Unavailable, std::move(message));
  set_retry_after(seen, retry_after);
  return seen;
}

Problem make_invalid_body(std::string message) {
  Problem invalid = make_problem(Status::Bad_Request, std::move(message));
  invalid.code = "INVALID_BODY";
  return invalid;
}

Problem make_problem(const model::Error& error, Upstream upstream) {
  const Status status = status_of(error.code, upstream);
  if (status == Status::Internal_Server_Error || error.message.empty()) return make_problem(status);
  Problem seen = make_problem(status, error.message);
  set_retry_after(seen, error.retry_after);
  if (!error.parameter.empty() && status == Status::Bad_Request) {
    seen.code = "INVALID_PARAMETER";
    seen.details = parameter_details(error);
  }
  return seen;
}

Reply make_reply(const Problem& problem, model::Instant now) {
  Reply reply;
  reply.status = problem.status;
  JsonWriter json(reply.body);
  json.begin_object().key("error").begin_object();
  json.key("code").text(problem.code).key("message").text(problem.message);
  if (!problem.details.empty()) json.key("details").begin_object().members(problem.details).end_object();
  json.end_object().key("timestamp").text(model::format_instant(now)).end_object();
  if (problem.retry_after.count() > 0)
    add_field(reply.fields, "Retry-After", std::to_string(problem.retry_after.count()));
  if (!problem.challenge.empty()) add_field(reply.fields, "WWW-Authenticate", problem.challenge);
  return reply;
}

}  // namespace kbase::http
