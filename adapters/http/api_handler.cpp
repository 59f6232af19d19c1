// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/api_handler.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "adapters/http/negotiation.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/representation.hpp"
#include "adapters/http/response.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/site_origin.hpp"
#include "adapters/http/syntax.hpp"
#include "adapters/pages/pages.hpp"

namespace kbase::http {
namespace {

constexpr std::string_view kServerWideAllow = "GET, HEAD, POST, PUT, DELETE, OPTIONS";
constexpr std::string_view kPageAllow = "GET, HEAD, OPTIONS";

/// Time limit of a quick call, which may consist of many searches that are quick.
constexpr std::chrono::milliseconds kQuickTime{2};

/// Returns the methods of the matched path, or of the whole server if no path matches.
std::string_view allowed_methods(const RouteMatch& match) {
  if (match.page != nullptr) return kPageAllow;
  return match.route != nullptr ? match.allow : kServerWideAllow;
}

bool is_options(const Request& request) { return request.method() == "OPTIONS"; }

/// Returns whether the request is not charged. Such requests are also not rejected for an invalid key.
bool is_free(const RequestContext& context) {
  const RouteMatch& match = context.match;
  return is_options(context.request) || !(match.is_below_base || match.is_page) ||
         (match.route && match.route->quota == Quota::Free);
}

ports::AcquireRequest::Mode charge_mode(const RequestContext& context) {
  if (is_free(context)) return ports::AcquireRequest::Mode::Peek;
  const Route* const route = context.match.route;
  return route && route->quota == Quota::CountedExactly ? ports::AcquireRequest::Mode::ChargeExactly
                                                        : ports::AcquireRequest::Mode::Charge;
}

BodyPipe::Framing choose_framing(const Request& request) {
  return request.minor_version() == 0 ? BodyPipe::Framing::UntilClose : BodyPipe::Framing::Chunked;
}

/// Returns the text after "Bearer". A field with another scheme yields an empty credential, which is never a valid key.
std::optional<std::string_view> find_credential(const Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  const auto field = request.field("authorization");
  if (!field) return std::nullopt;
  if (!equals_lower(field->substr(0, kScheme.size()), kScheme)) return std::string_view();
  return trim(field->substr(kScheme.size()));
}

/// Builds a client from views of both arguments.
ports::Client make_client(const Request& request, const Peer& client, bool is_visitor = false) {
  return {client.canonical, find_credential(request), client.network, request.field("origin").value_or(""), is_visitor};
}

std::string format_limit_details(const RateState& state) {
  std::string details;
  JsonWriter json(details);
  json.key("limit").number(state.limit).key("reset").number(static_cast<std::uint64_t>(state.reset));
  return details;
}

Reply add_allow(Reply reply, std::string_view allow) {
  add_field(reply.fields, "Allow", allow);
  return reply;
}

}  // namespace

ApiHandler::ApiHandler(const ServerOptions& options, const Services& services, NetworkSet trusted_proxies)
    : options_(options),
      services_(services),
      trusted_proxies_(std::move(trusted_proxies)),
      description_(prepare_body("application/json; charset=utf-8", options.program_version, options.description)),
      router_(options.base_path, routes()),
      page_router_("/", page_routes()),
      site_(options.site),
      cors_(options.cors),
      request_ids_(services.random),
      visitor_cookie_(services.signatures),
      access_log_(services.log, services.pseudonyms, options.logged_address),
      forwarding_warning_(services.log, services.clock, options.trusted_proxies),
      metrics_(services.metrics, routes(), page_routes()),
      edition_(options.program_version + '\n' + options.search_fingerprint) {}

RouteMatch ApiHandler::match(const Request& request) const {
  RouteMatch match = router_.match(request.method(), request.target());
  if (match.is_below_base || match.is_server_wide) return match;
  match.page = site_.find(split_target(request.target()).path);
  if (match.page != nullptr || services_.pages == nullptr) return match;
  RouteMatch page = page_router_.match(request.method(), request.target());
  page.is_below_base = false;
  page.is_page = page.route != nullptr;
  return page;
}

Executor* ApiHandler::prepare(RequestContext& context) const {
  if (context.match.page != nullptr) return nullptr;
  const Route* const route = context.match.route;
  if (route != nullptr && route->prepare_reply != nullptr)
    context.prepared_reply = route->prepare_reply(services_, context.match.segment);
  const bool is_ready = route == nullptr || context.prepared_reply.has_value();
  if (services_.access.is_inline(find_credential(context.request)) &&
      (is_ready || route->execution.inlining(options_) == Inline::Always))
    return nullptr;
  return is_ready ? &services_.executors.common : &route->execution.pool(services_.executors);
}

std::chrono::milliseconds ApiHandler::time_limit(const RouteMatch& match) const {
  return match.route != nullptr ? match.route->execution.time_limit(options_) : options_.request_timeout;
}

bool ApiHandler::needs_client(const RouteMatch& match) const {
  return match.route != nullptr && match.route->execution.needs_client;
}

std::optional<HttpResponse> ApiHandler::respond_quickly(RequestContext& context, Executor& executor) {
  const Route* const route = context.match.route;
  if (route == nullptr || context.prepared_reply || route->execution.inlining(options_) != Inline::IfQuick ||
      !executor.has_free_thread() || !services_.access.is_inline(find_credential(context.request)))
    return std::nullopt;
  return serve(context, Load::Normal, &context.admission);
}

HttpResponse ApiHandler::respond(const RequestContext& context) { return *serve(context, Load::Normal); }

HttpResponse ApiHandler::overloaded(const RequestContext& context) { return *serve(context, Load::Overloaded); }

/// `admitted`: not null for a quick call; then it is set if the request was counted. nullopt: the call is quick, and
/// the endpoint would block.
std::optional<HttpResponse> ApiHandler::serve(const RequestContext& context, Load load,
                                              std::optional<ports::Admission>* admitted) {
  const auto in_flight = metrics_.track_request();
  const model::Instant now = services_.clock.now();
  const std::string request_id = request_ids_.choose_id(context.request);
  ports::Call call{context.arrived + time_limit(context.match), context.cancel, request_id, admitted != nullptr};
  const Peer peer = identify_client(context.request, context.peer);
  const bool is_visitor =
      options_.has_visitors && (context.match.is_page || visitor_cookie_.is_visitor(context.request, peer, now));
  const ports::Client client = make_client(context.request, peer, is_visitor);
  ports::Admission admission;
  const auto stream_head = [&] {
    Reply head;
    head.format = Reply::Format::EventStream;
    return compose(context, std::move(head), admission, now, request_id);
  };
  EventStreamWriter stream(context.response_stream, choose_framing(context.request), stream_head);
  Reply reply;
  try {
    const bool is_charged = load == Load::Normal && context.match.page == nullptr;
    admission = context.admission ? *context.admission
                : is_charged      ? services_.access.admit(call, client, charge_mode(context))
                                  : services_.access.admission_without_charge(client);
    if (admitted != nullptr) {
      *admitted = admission;
      call.deadline = std::min(call.deadline, services_.clock.steady() + kQuickTime);
    }
    if (load == Load::Overloaded && !is_free(context)) {
      reply =
          make_problem_reply(context, make_problem(HttpStatus::Service_Unavailable, "The server is overloaded."), now);
    } else {
      auto made = check_and_call(context, admission, stream, call, now);
      if (!made) return std::nullopt;
      reply = *std::move(made);
    }
  } catch (const std::exception& error) {
    reply = make_failure_reply(context, request_id, error.what(), now);
  } catch (...) {
    reply = make_failure_reply(context, request_id, "unknown exception type", now);
  }
  if (stream.has_started()) {
    if (reply.status != HttpStatus::Ok) stream.send(format_event("error", reply.body));
    stream.end();
    record(context, peer, admission, request_id, {HttpStatus::Ok, stream.head_bytes(), stream.sent_bytes()});
    HttpResponse sent;
    sent.is_sent = true;
    return sent;
  }
  if (options_.has_visitors && context.match.is_page && reply.content_type.starts_with("text/html")) {
    const bool is_secure = origin_of(context).starts_with("https:");
    const std::string cookie = visitor_cookie_.renew(context.request, peer, now, is_secure);
    if (!cookie.empty()) add_field(reply.fields, "Set-Cookie", cookie);
  }
  HttpResponse response = compose(context, std::move(reply), admission, now, request_id);
  record(context, peer, admission, request_id, {response.status, response.head.size(), response.body.size()});
  return response;
}

std::string ApiHandler::origin_of(const RequestContext& context) const {
  return find_origin(context.request, context.peer, options_.site_origin, trusted_proxies_);
}

/// Returns the client behind trusted proxies, or `peer`.
Peer ApiHandler::identify_client(const Request& request, const Peer& peer) {
  if (auto client = find_client(peer, request, trusted_proxies_)) return *std::move(client);
  forwarding_warning_.check(request, peer.address);
  return peer;
}

/// Logs the request and updates the metrics.
void ApiHandler::record(const RequestContext& context, const Peer& client, const ports::Admission& admission,
                        std::string_view request_id, const SentResponse& sent) const {
  const Route* route = context.match.route;
  const std::string name = route == nullptr        ? "-"
                           : context.match.is_page ? page_name(*route)
                                                   : std::string(route->pattern);
  const auto time = services_.clock.steady() - context.arrived;
  metrics_.record_response(route, sent.status, time, context.request.body().size(), sent.head_bytes + sent.body_bytes);
  access_log_.log_request({context.request.method(), name, request_id, sent.status, sent.body_bytes, time,
                           admission.client_id, admission.has_key, client.address});
}

Reply ApiHandler::make_failure_reply(const RequestContext& context, std::string_view request_id, std::string_view cause,
                                     model::Instant now) const {
  access_log_.log_failure(request_id, cause);
  return make_problem_reply(context, make_problem(HttpStatus::Internal_Server_Error), now);
}

/// Whether a person reads the reply: the path is that of a page, or an unknown one that a browser asks for.
bool ApiHandler::shows_page(const RequestContext& context) const {
  const RouteMatch& match = context.match;
  if (services_.pages == nullptr || match.is_below_base || match.is_server_wide) return false;
  return match.is_page || context.request.field("accept").value_or("").find("text/html") != std::string_view::npos;
}

/// Returns the problem as JSON, or as a page where a person reads it.
Reply ApiHandler::make_problem_reply(const RequestContext& context, const Problem& problem, model::Instant now) const {
  Reply reply = make_reply(problem, now);
  if (!shows_page(context)) return reply;
  const std::string origin = origin_of(context);
  ports::Call call;
  reply.body = services_.pages->problem({call, origin, now},
                                        {static_cast<unsigned>(problem.status), std::string(page_title(problem.status)),
                                         problem.message, problem.retry_after});
  reply.format = Reply::Format::Page;
  reply.content_type = "text/html; charset=utf-8";
  return reply;
}

HttpResponse ApiHandler::refuse(const Refusal& refusal, const Request& request, const Peer& peer) {
  const model::Instant now = services_.clock.now();
  const std::string request_id = request_ids_.choose_id(request);
  const Peer client = find_client(peer, request, trusted_proxies_).value_or(peer);
  const ports::Admission admission = services_.access.admission_without_charge(make_client(request, client));
  const auto status = static_cast<HttpStatus>(refusal.status);
  Reply reply = make_reply(make_problem(status, std::string(refusal.message)), now);
  ResponseContext response_context{now, admission, request_id, cors_, request.field("origin")};
  response_context.is_head = request.method() == "HEAD";
  HttpResponse response = compose_response(std::move(reply), response_context);
  metrics_.record_refusal(status, response.head.size() + response.body.size());
  const std::string_view method = request.method().empty() ? "-" : request.method();
  access_log_.log_request({method,
                           "-",
                           request_id,
                           status,
                           response.body.size(),
                           {},
                           admission.client_id,
                           admission.has_key,
                           client.address});
  return response;
}

/// Performs the checks of docs/guide/errors.md in their order, starting with the rate limit. nullopt: the call is
/// quick, and the endpoint would block.
std::optional<Reply> ApiHandler::check_and_call(const RequestContext& context, const ports::Admission& admission,
                                                EventStreamWriter& stream, ports::Call& call, model::Instant now) {
  const Route* route = context.match.route;
  if (!is_free(context) && admission.verdict != ports::Admission::Verdict::Admitted)
    return make_problem_reply(context, make_denial(admission, now), now);
  if (is_options(context.request)) return make_options_reply(context, now);
  if (context.match.page != nullptr) return make_file_reply(context, now);
  if (route == nullptr)
    return make_problem_reply(
        context,
        make_problem(HttpStatus::Not_Found,
                     shows_page(context)
                         ? std::string("The page was moved or removed, or its address was mistyped.")
                         : "There is no such path; the endpoints are below " + options_.base_path + "."),
        now);
  if (!route->supports(context.request.method()))
    return add_allow(make_problem_reply(context, make_problem(HttpStatus::Method_Not_Allowed), now),
                     allowed_methods(context.match));
  if (route->senders != Senders::All && !may_send(route->senders, context.request, origin_of(context)))
    return make_problem_reply(context, make_foreign_page_problem(), now);
  if (route->needs_key(options_) && !admission.has_key)
    return make_reply(make_problem(HttpStatus::Unauthorized,
                                   "This endpoint requires an API key; send it as Authorization: Bearer KEY."),
                      now);
  if (admission.has_key && !model::has_scope(admission.scopes, route->scope) && route->quota != Quota::Free)
    return make_reply(make_problem(HttpStatus::Forbidden), now);
  const bool has_body = route->method == Method::Post || route->method == Method::Put;
  if (route->takes_upload && !has_json_lines_body(context.request) && !has_archive_body(context.request))
    return make_reply(
        make_problem(HttpStatus::Unsupported_Media_Type,
                     "The body must be JSON Lines (application/x-ndjson), plain or with gzip, or an archive "
                     "of pages (application/x-tar or application/zip)."),
        now);
  if (has_body && !route->takes_upload && !has_json_body(context.request))
    return make_reply(make_problem(HttpStatus::Unsupported_Media_Type), now);
  return call_endpoint(context, admission, stream, call, now);
}

Problem ApiHandler::make_denial(const ports::Admission& admission, model::Instant now) const {
  switch (admission.verdict) {
    case ports::Admission::Verdict::Limited: {
      metrics_.record_denial(admission);
      const RateState state = compute_rate_state(admission, now);
      Problem limited = make_problem(HttpStatus::Too_Many_Requests);
      limited.details = format_limit_details(state);
      limited.retry_after = state.retry_after;
      return limited;
    }
    case ports::Admission::Verdict::BadKey: return make_problem(HttpStatus::Unauthorized, "The API key is not valid.");
    case ports::Admission::Verdict::KeyUnchecked:
      return make_unavailable("The API key cannot be checked now; try again later.", admission.retry_after);
    case ports::Admission::Verdict::Unavailable:
    case ports::Admission::Verdict::Admitted: break;
  }
  return make_unavailable("Requests cannot be counted now; try again later.", admission.retry_after);
}

std::optional<std::uint64_t> ApiHandler::upload_limit(const RouteMatch& match, const Request& request) const {
  const bool is_upload = match.route != nullptr && match.route->takes_upload && match.route->supports(request.method());
  return is_upload ? std::optional(options_.max_import_bytes) : std::nullopt;
}

Reply ApiHandler::make_file_reply(const RequestContext& context, model::Instant now) const {
  const std::string_view method = context.request.method();
  if (method != "GET" && method != "HEAD")
    return add_allow(make_reply(make_problem(HttpStatus::Method_Not_Allowed), now), allowed_methods(context.match));
  Reply reply = make_prepared_reply(context.request, *context.match.page);
  reply.format = Reply::Format::Page;
  return reply;
}

Reply ApiHandler::make_options_reply(const RequestContext& context, model::Instant now) const {
  const bool is_preflight = context.request.field("access-control-request-method").has_value();
  const RouteMatch& match = context.match;
  if (match.route == nullptr && match.page == nullptr && !is_preflight && !match.is_server_wide)
    return make_reply(make_problem(HttpStatus::Not_Found), now);
  Reply reply;
  reply.status = HttpStatus::No_Content;
  if (is_preflight) cors_.write_preflight(reply.fields);
  return add_allow(std::move(reply), allowed_methods(match));
}

std::optional<Reply> ApiHandler::call_endpoint(const RequestContext& context, const ports::Admission& admission,
                                               EventStreamWriter& stream, ports::Call& call, model::Instant now) {
  if (context.prepared_reply) return *context.prepared_reply;
  const Route& route = *context.match.route;
  const bool is_head = context.request.method() == "HEAD";
  const RouteMatch& match = context.match;
  const bool needs_origin = match.is_page || route.senders != Senders::All;
  const std::string origin = needs_origin ? origin_of(context) : std::string();
  const Peer client = find_client(context.peer, context.request, trusted_proxies_).value_or(context.peer);
  const EndpointContext endpoint_context{services_,     options_,    edition_,         description_,   context.request,
                                         match.segment, match.query, admission,        stream,         call,
                                         now,           origin,      client.canonical, context.upload, is_head};
  Result<Reply> reply = route.endpoint(endpoint_context);
  if (reply) return *std::move(reply);
  const Error& error = reply.error();
  if (call.is_quick && error.code == ErrorCode::Deadline) return std::nullopt;
  const Problem problem = make_problem(error, route.execution.calls_upstream ? Upstream::Yes : Upstream::No);
  const bool is_client_gone = error.code == ErrorCode::Cancelled && call.cancelled();
  const bool is_internal = problem.status == HttpStatus::Internal_Server_Error;
  if (!is_client_gone && (is_internal || (is_server_error(problem.status) && !error.detail.empty())))
    access_log_.log_failure(call.trace_id, error.detail.empty() ? error.message : error.detail);
  return make_problem_reply(context, problem, now);
}

HttpResponse ApiHandler::compose(const RequestContext& context, Reply reply, const ports::Admission& admission,
                                 model::Instant now, std::string_view request_id) const {
  const Request& request = context.request;
  const ResponseContext response_context{now,
                                         admission,
                                         request_id,
                                         cors_,
                                         request.field("origin"),
                                         options_.http_max_age,
                                         request.method() == "HEAD",
                                         accepts_gzip(request),
                                         request.minor_version() == 0,
                                         context.connection};
  return compose_response(std::move(reply), response_context);
}

}  // namespace kbase::http
