// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/problem.hpp"

#include <algorithm>
#include <array>

#include "adapters/http/representation.hpp"

namespace kbase::http {
namespace {

struct Entry {
  HttpStatus status;
  std::string_view code;
  std::string_view message;
};

constexpr std::array<Entry, 21> kProblems = {{
    {HttpStatus::Bad_Request, "BAD_REQUEST", "The request is malformed."},
    {HttpStatus::Unauthorized, "UNAUTHORIZED", "The API key is missing or not valid."},
    {HttpStatus::Forbidden, "FORBIDDEN", "The API key does not have the required scope."},
    {HttpStatus::Not_Found, "NOT_FOUND", "There is no such resource."},
    {HttpStatus::Method_Not_Allowed, "METHOD_NOT_ALLOWED",
     "This path does not support this method; see the header Allow."},
    {HttpStatus::Conflict, "CONFLICT", "The request contradicts the state of the resource."},
    {HttpStatus::Precondition_Failed, "PRECONDITION_FAILED",
     "The resource is not as If-Match or If-None-Match requires; read it again."},
    {HttpStatus::Request_Timeout, "REQUEST_TIMEOUT", "The request did not arrive in time."},
    {HttpStatus::Request_Entity_Too_Large, "PAYLOAD_TOO_LARGE", "The body is larger than the server accepts."},
    {HttpStatus::RequestURI_Too_Long, "URI_TOO_LONG", "The request line is too long."},
    {HttpStatus::Unsupported_Media_Type, "UNSUPPORTED_MEDIA_TYPE",
     "The body must be uncompressed JSON (Content-Type: application/json)."},
    {HttpStatus::Expectation_Failed, "EXPECTATION_FAILED", "The only supported expectation is 100-continue."},
    {HttpStatus::Misdirected_Request, "MISDIRECTED_REQUEST", "This server does not serve this host."},
    {HttpStatus::Too_Many_Requests, "RATE_LIMIT_EXCEEDED", "The rate limit of the plan is exceeded."},
    {HttpStatus::Request_Header_Fields_Too_Large, "HEADERS_TOO_LARGE", "The header fields are too large."},
    {HttpStatus::Internal_Server_Error, "INTERNAL_ERROR",
     "An internal error occurred; the log has its details under the X-Request-Id."},
    {HttpStatus::Not_Implemented, "NOT_IMPLEMENTED", "The only supported transfer coding is chunked."},
    {HttpStatus::Bad_Gateway, "UPSTREAM_ERROR", "The external service failed."},
    {HttpStatus::Service_Unavailable, "SERVICE_UNAVAILABLE",
     "The service is temporarily unavailable; try again later."},
    {HttpStatus::Gateway_Timeout, "UPSTREAM_TIMEOUT", "The external service did not answer in time."},
    {HttpStatus::HTTP_Version_Not_Supported, "HTTP_VERSION_NOT_SUPPORTED",
     "This server supports HTTP/1.0 and HTTP/1.1."},
}};

constexpr std::chrono::seconds kDefaultRetry{5};

const Entry& entry_of(HttpStatus status) {
  const auto* found =
      std::find_if(kProblems.begin(), kProblems.end(), [&](const Entry& entry) { return entry.status == status; });
  return found != kProblems.end() ? *found : entry_of(HttpStatus::Internal_Server_Error);
}

HttpStatus status_of(ErrorCode code, Upstream upstream) {
  switch (code) {
    case ErrorCode::InvalidArgument: return HttpStatus::Bad_Request;
    case ErrorCode::NotFound: return HttpStatus::Not_Found;
    case ErrorCode::Unavailable:
    case ErrorCode::NoMemory:
    case ErrorCode::Cancelled:  // the client is gone
      return HttpStatus::Service_Unavailable;
    case ErrorCode::Deadline:
      return upstream == Upstream::Yes ? HttpStatus::Gateway_Timeout : HttpStatus::Service_Unavailable;
    case ErrorCode::BadUpstream: return HttpStatus::Bad_Gateway;
    case ErrorCode::Unsupported: return HttpStatus::Not_Implemented;
    case ErrorCode::Conflict: return HttpStatus::Conflict;
    case ErrorCode::Gone:
    case ErrorCode::Corrupt:
    case ErrorCode::Internal: return HttpStatus::Internal_Server_Error;
  }
  return HttpStatus::Internal_Server_Error;
}

std::string parameter_details(const Error& error) {
  std::string details;
  JsonWriter(details).key("parameter").text(error.parameter).key("reason").text(error.message);
  return details;
}

/// Sets Retry-After if the time is known (not 0); otherwise keeps the default.
void set_retry_after(Problem& seen, std::chrono::milliseconds retry_after) {
  if (retry_after.count() > 0) seen.retry_after = std::chrono::ceil<std::chrono::seconds>(retry_after);
}

}  // namespace

Problem make_problem(HttpStatus status, std::string message) {
  const auto retry = status == HttpStatus::Service_Unavailable ? kDefaultRetry : std::chrono::seconds(0);
  const std::string_view challenge = status == HttpStatus::Unauthorized ? "Bearer"
                                     : status == HttpStatus::Forbidden  ? "Bearer error=\"insufficient_scope\""
                                                                        : "";
  const Entry& entry = entry_of(status);
  if (message.empty()) message = entry.message;
  return {status, entry.code, std::move(message), {}, retry, challenge};
}

Problem make_unavailable(std::string message, std::chrono::milliseconds retry_after) {
  Problem seen = make_problem(HttpStatus::Service_Unavailable, std::move(message));
  set_retry_after(seen, retry_after);
  return seen;
}

Problem make_invalid_body(std::string message) {
  Problem invalid = make_problem(HttpStatus::Bad_Request, std::move(message));
  invalid.code = "INVALID_BODY";
  return invalid;
}

Problem make_problem(const Error& error, Upstream upstream) {
  const HttpStatus status = status_of(error.code, upstream);
  if (status == HttpStatus::Internal_Server_Error || error.message.empty()) return make_problem(status);
  Problem seen = make_problem(status, error.message);
  set_retry_after(seen, error.retry_after);
  if (!error.parameter.empty() && status == HttpStatus::Bad_Request) {
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

std::string_view page_title(HttpStatus status) {
  switch (status) {
    case HttpStatus::Bad_Request: return "This address is not valid";
    case HttpStatus::Unauthorized: return "The key is not valid";
    case HttpStatus::Not_Found: return "There is no such page";
    case HttpStatus::Too_Many_Requests: return "Too many requests";
    case HttpStatus::Service_Unavailable: return "The site is not available now";
    default: return "Something went wrong";
  }
}

}  // namespace kbase::http
