// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/api_handler.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "adapters/http/conditional.hpp"
#include "adapters/http/event_stream.hpp"
#include "adapters/http/json_writer.hpp"
#include "adapters/http/negotiation.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/rate_fields.hpp"
#include "adapters/http/routes.hpp"
#include "adapters/http/syntax.hpp"
#include "adapters/http/uri.hpp"

namespace kbase::http {
namespace {

constexpr std::string_view kServerWideAllow = "GET, HEAD, POST, OPTIONS";
constexpr std::string_view kPageAllow = "GET, HEAD, OPTIONS";

/// Returns the methods of the matched path, or of the whole server if no path matches.
std::string_view allow_of(const RouteMatch& match) {
  if (match.page != nullptr) return kPageAllow;
  return match.route != nullptr ? match.route->allow() : kServerWideAllow;
}

bool is_options(const Request& request) {
  return request.method() == "OPTIONS";
}

/// Returns whether the request is not charged. Such requests are also not rejected for an invalid key.
bool is_free(const RequestContext& arrival) {
  const RouteMatch& match = arrival.match;
  return is_options(arrival.request) || !match.is_below_base || (match.route && match.route->quota == Quota::Free);
}

ports::AcquireRequest::Mode charge_of(const RequestContext& arrival) {
  if (is_free(arrival)) return ports::AcquireRequest::Mode::Peek;
  const Route* const route = arrival.match.route;
  return route && route->quota == Quota::CountedExactly ? ports::AcquireRequest::Mode::ChargeExactly
                                                        : ports::AcquireRequest::Mode::Charge;
}

bool answers(const Route& route, const Request& request) {
  const auto method = method_named(request.method());
  return method == route.method || (method == Method::Head && route.method == Method::Get);
}

/// Subtracts from `time` the time to send the response. When an upstream service hangs, hundreds of requests time out
/// at the same moment.
std::chrono::milliseconds without_way_out(std::chrono::milliseconds time) {
  constexpr int kShare = 50;
  constexpr std::chrono::milliseconds kMost{100};
  return time - std::min(time / kShare, kMost);
}

BodyPipe::Framing framing_of(const Request& request) {
  return request.minor_version() == 0 ? BodyPipe::Framing::UntilClose : BodyPipe::Framing::Chunked;
}

/// Returns the text after "Bearer". A field with another scheme yields an empty credential, which is never a valid key.
std::optional<std::string_view> credential_of(const Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  const auto field = request.field("authorization");
  if (!field) return std::nullopt;
  if (!equals_lower(field->substr(0, kScheme.size()), kScheme)) return std::string_view();
  return trimmed(field->substr(kScheme.size()));
}

/// Builds a client from views of both arguments.
ports::Client asking(const Request& request, const Peer& client) {
  return {client.canonical, credential_of(request), client.network, request.field("origin").value_or("")};
}

std::string limit_details(const RateState& stats) {
  std::string details;
  JsonWriter json(details);
  json.key("limit").number(stats.limit).key("reset").number(static_cast<std::uint64_t>(stats.reset));
  return details;
}

Answer with_allow(Answer answer, std::string_view allow) {
  add_field(answer.fields, "Allow", allow);
  return answer;
}

}  // namespace

ApiHandler::ApiHandler(const ServerOptions& options, const Services& services, NetworkSet trusted_proxies)
    : options_(options),
      services_(services),
      trusted_proxies_(std::move(trusted_proxies)),
      description_(prepare("application/json; charset=utf-8", options.program_version, options.description)),
      router_(options.base_path, routes()),
      site_(options.site),
      cors_(options.cors),
      request_ids_(services.random),
      access_log_(services.log, services.pseudonyms, options.logged_address),
      forwarding_warning_(services.log, services.clock, options.trusted_proxies),
      metrics_(services.metrics, routes()),
      edition_(options.program_version + '\n' + options.search_fingerprint) {}

RouteMatch ApiHandler::match(const Request& request) const {
  RouteMatch match = router_.match(request.target());
  if (!match.is_below_base) match.page = site_.find(split_target(request.target()).path);
  return match;
}

std::optional<ports::UserAnswer> ApiHandler::kept(const RouteMatch& match) const {
  if (match.route == nullptr || match.route->work != Work::Codehost) return std::nullopt;
  return kept_user(services_, match.segment);
}

bool ApiHandler::is_inline(const RequestContext& arrival) const {
  const RouteMatch& match = arrival.match;
  if (match.page != nullptr) return true;
  if (!services_.access.is_inline(credential_of(arrival.request))) return false;
  if (match.route == nullptr) return true;
  switch (match.route->work) {
    case Work::Catalog:
      return options_.inline_catalog;
    case Work::Search:
      return options_.inline_search;
    case Work::CatalogAndSearch:
      return options_.inline_catalog && options_.inline_search;
    case Work::Statistics:
      return options_.inline_statistics;
    case Work::Health:
    case Work::Description:
      return true;
    case Work::Codehost:
      return match.kept.has_value();
    case Work::Llm:
      break;
  }
  return false;
}

Executor& ApiHandler::executor_of(const RouteMatch& match) const {
  const Work work = match.route != nullptr ? match.route->work : Work::Catalog;
  if (work == Work::Search) return services_.executors.search;
  if (work == Work::CatalogAndSearch) return services_.executors.both;
  if (work == Work::Codehost && !match.kept) return services_.executors.codehost;
  return work == Work::Llm ? services_.executors.llm : services_.executors.common;
}

std::chrono::milliseconds ApiHandler::time_for(const RouteMatch& match) const {
  const Work work = match.route != nullptr ? match.route->work : Work::Catalog;
  if (work == Work::Llm) return without_way_out(options_.llm_timeout);
  if (work == Work::Codehost) return without_way_out(std::min(options_.codehost_timeout, options_.request_timeout));
  return options_.request_timeout;
}

bool ApiHandler::needs_key(const Route& route) const {
  return route.key == Key::Required || (route.work == Work::Codehost && options_.codehost_needs_key);
}

bool ApiHandler::needs_client(const RouteMatch& match) const {
  return match.route != nullptr && match.route->work == Work::Llm;
}

Response ApiHandler::respond(const RequestContext& arrival) {
  return serve(arrival, Room::Enough);
}

Response ApiHandler::overloaded(const RequestContext& arrival) {
  return serve(arrival, Room::None);
}

Response ApiHandler::serve(const RequestContext& arrival, Room room) {
  const auto in_flight = metrics_.begin();
  const model::Instant now = services_.clock.now();
  const std::string request_id = request_ids_.id_of(arrival.request);
  ports::Call call{arrival.arrived + time_for(arrival.match), arrival.cancel, request_id};
  const Peer peer = identify(arrival.request, arrival.peer);
  const ports::Client client = asking(arrival.request, peer);
  ports::Admission admission;
  const auto stream_head = [&] {
    Answer head;
    head.format = Answer::Format::EventStream;
    return finish(arrival, std::move(head), admission, now, request_id);
  };
  AnswerStream stream(arrival.outlet, framing_of(arrival.request), stream_head);
  Answer given;
  try {
    const bool is_asked = room == Room::Enough && arrival.match.page == nullptr;
    admission = is_asked ? admit(arrival, client, call) : services_.access.unasked(client);
    given = room == Room::Enough || is_free(arrival)
                ? answer(arrival, admission, stream, call, now)
                : answer_of(problem(Status::Service_Unavailable, "The server is overloaded."), now);
  } catch (const std::exception& error) {
    given = failed(request_id, error.what(), now);
  } catch (...) {
    given = failed(request_id, "an exception of no known type", now);
  }
  if (stream.has_begun()) {
    if (given.status != Status::Ok) stream.send(event("error", given.body));
    stream.end();
    tell(arrival, peer, admission, request_id, {Status::Ok, stream.head_bytes(), stream.sent_bytes()});
    Response sent;
    sent.is_sent = true;
    return sent;
  }
  Response response = finish(arrival, std::move(given), admission, now, request_id);
  tell(arrival, peer, admission, request_id, {response.status, response.head.size(), response.body.size()});
  return response;
}

/// Returns the client behind trusted proxies, or `peer`.
Peer ApiHandler::identify(const Request& request, const Peer& peer) {
  if (auto client = client_behind(peer, request, trusted_proxies_)) return *std::move(client);
  forwarding_warning_.look(request, peer.address);
  return peer;
}

/// Logs the request and updates the metrics.
void ApiHandler::tell(const RequestContext& arrival, const Peer& client, const ports::Admission& admission,
                      std::string_view request_id, const Sent& sent) const {
  const Route* route = arrival.match.route;
  const auto time = services_.clock.steady() - arrival.arrived;
  metrics_.answered(route, sent.status, time, arrival.request.body().size(), sent.head_bytes + sent.body_bytes);
  access_log_.say({arrival.request.method(), route ? route->pattern : "-", request_id, sent.status, sent.body_bytes,
                   time, admission.client_id, admission.has_key, client.address});
}

Answer ApiHandler::failed(std::string_view request_id, std::string_view cause, model::Instant now) const {
  access_log_.say_failure(request_id, cause);
  return answer_of(problem(Status::Internal_Server_Error), now);
}

Response ApiHandler::refuse(const Refusal& refusal, const Request& request, const Peer& peer) {
  const model::Instant now = services_.clock.now();
  const std::string request_id = request_ids_.id_of(request);
  const Peer client = client_behind(peer, request, trusted_proxies_).value_or(peer);
  const ports::Admission admission = services_.access.unasked(asking(request, client));
  const auto status = static_cast<Status>(refusal.status);
  Answer given = answer_of(problem(status, std::string(refusal.message)), now);
  Envelope envelope{now, admission, request_id, cors_, request.field("origin")};
  envelope.is_head = request.method() == "HEAD";
  Response response = compose(std::move(given), envelope);
  metrics_.refused(status, response.head.size() + response.body.size());
  const std::string_view method = request.method().empty() ? "-" : request.method();
  access_log_.say({method,
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

ports::Admission ApiHandler::admit(const RequestContext& arrival, const ports::Client& client, ports::Call& call) {
  return services_.access.admit(call, client, charge_of(arrival));
}

/// Performs the checks of docs/guide/errors.md in their order, starting with the rate limit.
Answer ApiHandler::answer(const RequestContext& arrival, const ports::Admission& admission, AnswerStream& stream,
                          ports::Call& call, model::Instant now) {
  const Route* route = arrival.match.route;
  if (!is_free(arrival) && admission.verdict != ports::Admission::Verdict::Admitted) return denied(admission, now);
  if (is_options(arrival.request)) return answer_options(arrival, now);
  if (arrival.match.page != nullptr) return show_page(arrival, now);
  if (route == nullptr)
    return answer_of(
        problem(Status::Not_Found, "There is no such path; the endpoints are below " + options_.base_path + "."), now);
  if (!answers(*route, arrival.request))
    return with_allow(answer_of(problem(Status::Method_Not_Allowed), now), allow_of(arrival.match));
  if (needs_key(*route) && !admission.has_key)
    return answer_of(problem(Status::Unauthorized, "This endpoint needs an API key: Authorization: Bearer KEY."), now);
  if (admission.has_key && !model::has_scope(admission.scopes, route->scope) && route->quota != Quota::Free)
    return answer_of(problem(Status::Forbidden), now);
  if (route->method == Method::Post && !has_json_body(arrival.request))
    return answer_of(problem(Status::Unsupported_Media_Type), now);
  return ask(arrival, admission, stream, call, now);
}

Answer ApiHandler::denied(const ports::Admission& admission, model::Instant now) const {
  switch (admission.verdict) {
    case ports::Admission::Verdict::Limited: {
      metrics_.denied(admission);
      const RateState stats = rate_state(admission, now);
      Problem limited = problem(Status::Too_Many_Requests);
      limited.details = limit_details(stats);
      limited.retry_after = stats.retry_after;
      return answer_of(limited, now);
    }
    case ports::Admission::Verdict::BadKey:
      return answer_of(problem(Status::Unauthorized, "The API key is not valid."), now);
    case ports::Admission::Verdict::KeyUnchecked:
      return answer_of(unavailable("The API key cannot be checked now; try again later.", admission.retry_after), now);
    case ports::Admission::Verdict::Unavailable:
    case ports::Admission::Verdict::Admitted:
      break;
  }
  return answer_of(unavailable("Requests cannot be counted now; try again later.", admission.retry_after), now);
}

Answer ApiHandler::show_page(const RequestContext& arrival, model::Instant now) const {
  const std::string_view method = arrival.request.method();
  if (method != "GET" && method != "HEAD")
    return with_allow(answer_of(problem(Status::Method_Not_Allowed), now), allow_of(arrival.match));
  Answer answer = prepared_answer(arrival.request, *arrival.match.page);
  answer.format = Answer::Format::Page;
  return answer;
}

Answer ApiHandler::answer_options(const RequestContext& arrival, model::Instant now) const {
  const bool is_preflight = arrival.request.field("access-control-request-method").has_value();
  const RouteMatch& match = arrival.match;
  if (match.route == nullptr && match.page == nullptr && !is_preflight && !match.is_server_wide)
    return answer_of(problem(Status::Not_Found), now);
  Answer answer;
  answer.status = Status::No_Content;
  if (is_preflight) cors_.write_preflight(answer.fields);
  return with_allow(std::move(answer), allow_of(match));
}

Answer ApiHandler::ask(const RequestContext& arrival, const ports::Admission& admission, AnswerStream& stream,
                       ports::Call& call, model::Instant now) {
  const Route& route = *arrival.match.route;
  const bool is_head = arrival.request.method() == "HEAD";
  const RouteMatch& match = arrival.match;
  const Context context{services_,     options_,    edition_,  description_, arrival.request,
                        match.segment, match.query, admission, match.kept,   stream,
                        call,          now,         is_head};
  model::Result<Answer> answer = route.endpoint(context);
  if (answer) return *std::move(answer);
  const model::Error& error = answer.error();
  const Problem seen = problem_of(error, is_external(route.work) ? Upstream::Yes : Upstream::No);
  const bool has_left = error.code == model::ErrorCode::Cancelled && call.cancelled();
  const bool is_ours = seen.status == Status::Internal_Server_Error;
  if (!has_left && (is_ours || (is_server_error(seen.status) && !error.detail.empty())))
    access_log_.say_failure(call.trace_id, error.detail.empty() ? error.message : error.detail);
  return answer_of(seen, now);
}

Response ApiHandler::finish(const RequestContext& arrival, Answer answer, const ports::Admission& admission,
                            model::Instant now, std::string_view request_id) const {
  const Request& request = arrival.request;
  const Envelope envelope{now,
                          admission,
                          request_id,
                          cors_,
                          request.field("origin"),
                          options_.http_max_age,
                          request.method() == "HEAD",
                          accepts_gzip(request),
                          request.minor_version() == 0,
                          arrival.connection};
  return compose(std::move(answer), envelope);
}

}  // namespace kbase::http
