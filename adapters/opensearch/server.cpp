// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/server.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/base/json.hpp"
#include "adapters/base/retry_after.hpp"
#include "adapters/base/waiting.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::opensearch {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxBodyBytes = 0;  // the limit of the client
constexpr std::uint32_t kTooManyRequests = 429;
constexpr std::uint32_t kServiceUnavailable = 503;
constexpr std::uint32_t kFirstSuccess = 200;
constexpr std::uint32_t kFirstRedirect = 300;

constexpr milliseconds kMinPause{50};
constexpr milliseconds kMaxPause{5000};

std::string describe(const Request& request) {
  return request.method + " " + request.path.substr(0, request.path.find('?'));
}

ErrorResponse parse_error_response(std::uint32_t status, const std::optional<Json>& body) {
  ErrorResponse error_response;
  error_response.status = status;
  if (!body) return error_response;
  const Json& error = member(*body, "error");
  error_response.type = text(error, "type");
  error_response.reason = error.is_string() ? error.get<std::string>() : std::string(text(error, "reason"));
  // The root cause explains a failed query; the outer reason is only "all shards failed".
  const Json& causes = member(error, "root_cause");
  if (causes.is_array() && !causes.empty() && !text(causes[0], "reason").empty()) {
    error_response.type = text(causes[0], "type");
    error_response.reason = text(causes[0], "reason");
  }
  return error_response;
}

Error unsupported_version(std::string sentence) {
  return {ErrorCode::Unsupported, "The version of the search index is not supported.", std::move(sentence)};
}

/// The longest responses are those to bulk requests, with a few values for each of some thousand documents.
constexpr json::Bounds kBounds{.depth = 64, .values = 200'000};

constexpr std::chrono::milliseconds kRetryAfter{1000};
constexpr std::size_t kMaxReasonBytes = 500;
constexpr const char* kNoShard = " returned 503 no_shard_available_action_exception";

/// Error code and advice to the operator for an error response.
struct ErrorMapping {
  ErrorCode code;
  const char* advice;
};

ErrorMapping map_error(const ErrorResponse& error_response) {
  switch (error_response.status) {
    case 401:
      return {ErrorCode::Unavailable,
              "; the credentials are not valid; set search.config.username and password, or api_key"};
    case 403:
      // OpenSearch blocks writes when the disk is full (cluster.routing.allocation.disk.watermark.flood_stage).
      if (error_response.type == "cluster_block_exception")
        return {ErrorCode::Unavailable,
                "; writes are blocked, usually because the disk is nearly full; free disk space"};
      return {ErrorCode::Unavailable,
              "; the user lacks a permission; grant it the permissions listed in the manual, for the cluster and for "
              "the indices of search.config.index"};
    case 404: return {ErrorCode::NotFound, ""};
    case 409: return {ErrorCode::Conflict, "; another process is writing this index"};
    case 429: return {ErrorCode::Unavailable, "; it is overloaded; add memory or nodes"};
    default:
      // The search reached an index that is being removed; Lucene has already closed a part of it.
      if (error_response.status == 400 && error_response.reason.ends_with("Analyzer is closed"))
        return {ErrorCode::NotFound, ""};
      return {error_response.status >= 500 ? ErrorCode::Unavailable : ErrorCode::Internal, ""};
  }
}

const char* message_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Conflict: return "Another process is writing the search index.";
    case ErrorCode::NotFound: return "The search index does not exist.";
    case ErrorCode::Unavailable: return "The search index is currently unavailable.";
    default: return "The search index rejected a request of this server.";
  }
}

}  // namespace

Result<std::unique_ptr<Server>> Server::make(ports::HttpClient* http, const ports::Clock& clock,
                                             const Options& options) {
  const std::size_t scheme = options.url.find("://");
  if (scheme == options.url.npos || options.url.find_first_of("?#@") != options.url.npos)
    return invalid_argument("url",
                            "url must be the URL of OpenSearch, http:// or https://, without user, password and query");
  for (const auto& [name, value] : {std::pair{"username", &options.username}, {"api_key", &options.api_key}})
    if (utf8::graphic_ascii_length(*value) != value->size())
      return invalid_argument(name, std::string(name) + " must contain only printable ASCII characters without spaces");
  if (!options.api_key.empty() && !options.username.empty())
    return invalid_argument("api_key", "set either api_key or username, not both");

  std::unique_ptr<Server> server(new Server(http, clock));
  server->url_ = options.url;
  while (server->url_.ends_with('/')) server->url_.pop_back();
  if (!options.api_key.empty())
    server->authorization_ = "ApiKey " + options.api_key;
  else if (!options.username.empty())
    server->authorization_ = "Basic " + to_base64(options.username + ":" + options.password);
  return server;
}

Result<Json> Server::execute(ports::Call& call, const Request& request) const { return begin(call, request)->wait(); }

std::unique_ptr<Server::PendingRequest> Server::begin(ports::Call& call, Request request) const {
  auto pending = std::make_unique<PendingRequest>(*this, call, std::move(request));
  pending->send();
  return pending;
}

Server::PendingRequest::PendingRequest(const Server& server, ports::Call& call, Request request)
    : server_(server), call_(call), request_(std::move(request)) {}

void Server::PendingRequest::send() {
  retry_delay_.reset();
  if (const auto known = server_.check_version(call_, request_.is_repeatable, retry_delay_); !known) {
    error_ = known.error();
    return;
  }
  auto sent = server_.send(call_, request_, retry_delay_);
  if (sent)
    exchange_ = *std::move(sent);
  else
    error_ = sent.error();
}

Result<Json> Server::PendingRequest::wait() {
  milliseconds length = kMinPause;
  for (int attempt = 1;; ++attempt) {
    Result<Json> response = error_;
    if (exchange_ != nullptr) response = server_.receive(call_, *exchange_, request_, retry_delay_);
    exchange_.reset();
    if (response || !retry_delay_ || attempt >= request_.attempts) return response;
    // If the deadline comes before the next attempt, fail at once.
    const milliseconds delay = std::max(length, *retry_delay_);
    if (const auto left = call_.deadline - server_.clock_.steady(); left < delay) return response;
    KBASE_TRY(server_.pause(call_, delay));
    length = std::min(length * 2, kMaxPause);
    send();
  }
}

Status Server::pause(const ports::Call& call, milliseconds length) const {
  waiting::pause(length, [&] { return !call.cancelled() && clock_.steady() <= call.deadline; });
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "The request was cancelled."};
  if (clock_.steady() > call.deadline) return Error{ErrorCode::Deadline, "The search index did not respond in time."};
  return {};
}

/// Maps an error of the HTTP client and sets `retry_delay` if the request should be sent again.
Error Server::translate_client_error(const ports::Call& call, const Error& error, const Request& request,
                                     RetryDelay& retry_delay) const {
  // A Deadline error before the deadline of the call is the client's own timeout for a slow response.
  const bool is_temporary = error.code == ErrorCode::Unavailable || error.code == ErrorCode::BadUpstream ||
                            (error.code == ErrorCode::Deadline && clock_.steady() < call.deadline);
  if (request.is_repeatable && is_temporary) retry_delay = error.retry_after;
  return unreachable_error(error, describe(request));
}

Result<std::unique_ptr<ports::HttpExchange>> Server::send(ports::Call& call, const Request& request,
                                                          RetryDelay& retry_delay) const {
  if (http_ == nullptr)
    return unreachable_error({ErrorCode::Unavailable, {}, "there is no HTTP client for search.config.url"},
                             describe(request));
  std::vector<ports::HttpField> fields;
  if (!authorization_.empty()) fields.push_back({"Authorization", authorization_});
  if (!request.body.empty())
    fields.push_back(
        {"Content-Type", request.type == Request::Body::JsonLines ? "application/x-ndjson" : "application/json"});
  const std::string url = url_ + request.path;
  ports::HttpRequest sent;
  sent.method = request.method;
  sent.url = url;
  sent.fields = fields;
  sent.body = request.body;
  sent.max_body_bytes = kMaxBodyBytes;
  auto exchange = http_->open(call, sent);
  if (!exchange) return translate_client_error(call, exchange.error(), request, retry_delay);
  return exchange;
}

Result<Json> Server::receive(ports::Call& call, ports::HttpExchange& exchange, const Request& request,
                             RetryDelay& retry_delay) const {
  retry_delay.reset();
  const auto head = exchange.head();
  if (!head) return translate_client_error(call, head.error(), request, retry_delay);
  const std::uint32_t status = head->status;
  milliseconds retry_after{0};
  for (const ports::HttpField& field : head->fields)
    if (field.name == "retry-after")
      retry_after = http_fields::parse_retry_after(field.value, clock_.now()).value_or(milliseconds(0));
  std::string body;
  std::array<char, 65536> buffer;
  while (true) {
    const auto got = exchange.read(buffer);
    if (!got) return translate_client_error(call, got.error(), request, retry_delay);
    if (*got == 0) break;
    body.append(buffer.data(), *got);
  }
  std::optional<Json> value = body.empty() ? std::optional<Json>(Json()) : parse(body);
  if (status >= kFirstSuccess && status < kFirstRedirect) {
    if (!value) return invalid_response(describe(request) + " returned a response that is not JSON or is too large");
    return *std::move(value);
  }
  if (status == kTooManyRequests || status == kServiceUnavailable) retry_delay = retry_after;
  ErrorResponse error_response = parse_error_response(status, value);
  error_response.retry_after = retry_after;
  return translate_error(error_response, describe(request));
}

/// Checks the version once per process: clusters are upgraded node by node and never downgraded.
Status Server::check_version(ports::Call& call, bool is_repeatable, RetryDelay& retry_delay) const {
  if (is_version_checked_) return {};
  const Request request{.method = "GET", .path = "/", .is_repeatable = is_repeatable};
  auto exchange = KBASE_TRY(send(call, request, retry_delay));
  const auto response = KBASE_TRY(receive(call, *exchange, request, retry_delay));
  const Json& version = member(response, "version");
  const std::string_view number = text(version, "number");
  if (text(version, "distribution") != "opensearch")
    return unsupported_version(
        "the server at search.config.url is not OpenSearch; this plugin supports OpenSearch 2.19 and newer");
  unsigned major = 0;
  unsigned minor = 0;
  const auto [point, parse_error] = std::from_chars(number.data(), number.data() + number.size(), major);
  if (parse_error == std::errc() && point != number.data() + number.size())
    std::from_chars(point + 1, number.data() + number.size(), minor);
  if (major < 2 || (major == 2 && minor < 19) || major > 3)
    return unsupported_version("OpenSearch has version " + std::string(number) +
                               ", but this plugin supports 2.19 and 3; use one of these versions");
  is_version_checked_ = true;
  return {};
}

std::optional<Json> parse(std::string_view text) {
  if (!json::is_within(kBounds, text)) return std::nullopt;
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

std::string serialize(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json& member(const Json& object, std::string_view name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string_view text(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

std::vector<std::string_view> texts(const Json& object, std::string_view name) {
  std::vector<std::string_view> list;
  for (const Json& entry : member(object, name))
    if (entry.is_string()) list.push_back(entry.get_ref<const std::string&>());
  return list;
}

std::optional<std::uint64_t> number(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number_unsigned()) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<double> real(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  if (!value.is_number()) return std::nullopt;
  const auto found = value.get<double>();
  return std::isfinite(found) ? std::optional(found) : std::nullopt;
}

Error translate_error(const ErrorResponse& error_response, std::string_view operation) {
  const ErrorMapping mapping = map_error(error_response);
  std::string detail = "OpenSearch: " + std::string(operation) + " returned " + std::to_string(error_response.status);
  if (!error_response.type.empty()) detail += " " + error_response.type;
  if (!error_response.reason.empty()) detail += ": " + error_response.reason.substr(0, kMaxReasonBytes);
  const bool is_temporary = mapping.code == ErrorCode::Unavailable;
  return {mapping.code,
          message_of(mapping.code),
          detail + mapping.advice,
          {},
          is_temporary ? std::max(error_response.retry_after, kRetryAfter) : std::chrono::milliseconds(0)};
}

bool has_no_shard(const Error& error) {
  return error.code == ErrorCode::Unavailable && error.detail.find(kNoShard) != error.detail.npos;
}

Error unreachable_error(const Error& error, std::string_view operation) {
  const bool is_caller_limit =
      error.code == ErrorCode::Deadline || error.code == ErrorCode::Cancelled || error.code == ErrorCode::NoMemory;
  if (is_caller_limit) return error.during("OpenSearch: " + std::string(operation));
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  return {ErrorCode::Unavailable,
          "The search index is currently unavailable.",
          "OpenSearch: " + std::string(operation) + ": " + cause +
              "; check that OpenSearch is running and that search.config.url is its URL",
          {},
          std::max(error.retry_after, kRetryAfter)};
}

Error invalid_response(std::string detail) {
  return {ErrorCode::Unavailable,
          "The search index sent an invalid response.",
          "OpenSearch: " + std::move(detail),
          {},
          kRetryAfter};
}

Error no_state_error(std::string detail) {
  return {ErrorCode::NotFound, message_of(ErrorCode::NotFound), std::move(detail)};
}

Error require_published(Error error) {
  if (error.code != ErrorCode::NotFound) return error;
  return {ErrorCode::Unavailable, "The search index is being built.", std::move(error.detail), {}, kRetryAfter};
}

Error conflict_error(std::string detail) {
  return {ErrorCode::Conflict, message_of(ErrorCode::Conflict), std::move(detail)};
}

Error rebuild_required() {
  return {ErrorCode::Unsupported, "The search index has no state to update; it must be rebuilt."};
}

}  // namespace kbase::opensearch
