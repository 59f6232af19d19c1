// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/calls.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "adapters/base/retry_after.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::code_host {
namespace {

constexpr std::uint64_t kMaxBodyBytes = 8U << 20U;
constexpr std::uint32_t kFirstFailure = 500;
constexpr std::uint32_t kServiceUnavailable = 503;

/// Returns for example "GET /users/mona returned 404".
std::string describe(const Response& response, const Request& request) {
  return (request.body.empty() ? "GET " : "POST ") + request.path.substr(0, request.path.find('?')) + " returned " +
         std::to_string(response.status);
}

Error token_refused(const Response& response, const Request& request) {
  return invalid_response(describe(response, request) +
                          ": the service refuses codehost.config.token; set a valid token, or remove it");
}

/// Returns an error for a response that no caller can use.
Status check_status(const Response& response, const Request& request, const Api& api) {
  const model::Instant now = api.clock.now();
  if (response.status == kServiceUnavailable)
    return unavailable(describe(response, request), retry_after(response, now).value_or(std::chrono::seconds(0)));
  if (response.status >= kFirstFailure) return invalid_response(describe(response, request));
  if (response.status == kUnauthorized && request.auth == Auth::Token && !api.authorization.empty())
    return token_refused(response, request);
  return {};
}

constexpr std::size_t kMaxValidatorBytes = 64U << 10U;  // limit of the port

/// Removes the first line from `text` and returns it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

auto find_request(std::span<const Request> requests, std::string_view path) {
  return std::find_if(requests.begin(), requests.end(), [&](const Request& request) { return request.path == path; });
}

void drop_slashes(std::string& url) {
  while (url.ends_with('/')) url.pop_back();
}

bool is_http(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

constexpr std::size_t kMaxTagBytes = 256;
constexpr std::size_t kMaxPathBytes = 2048;

/// Whether `text` is printable ASCII without spaces and not longer than `max_bytes`.
bool is_plain(std::string_view text, std::size_t max_bytes) {
  return text.size() <= max_bytes && utf8::graphic_ascii_length(text) == text.size();
}

/// Returns the "/path?query" of an absolute URL, or of a reference that starts with a single slash; empty: it is
/// neither.
std::string_view path_of(std::string_view reference) {
  if (const std::size_t scheme = reference.find("://"); reference.starts_with("http") && scheme <= 5)
    reference.remove_prefix(std::min(reference.find('/', scheme + 3), reference.size()));
  return is_path(reference) ? reference : std::string_view();
}

/// FNV-1a, 64 bits (RFC 9923). Detects changes; it does not protect against forgery.
std::uint64_t compute_digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

using std::chrono::seconds;

constexpr std::uint32_t kTooManyRequests = 429;
constexpr seconds kDefaultWait{60};
constexpr seconds kMaxWait{24 * 3600};
/// Clamp for seconds since 1970, so that calculations do not overflow. Later times count as never.
constexpr std::int64_t kMaxSeconds = std::int64_t{1} << 40;

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::clamp(number, -kMaxSeconds, kMaxSeconds);
}

/// Returns the service's clock from the Date of the response, else `now`.
model::Instant get_service_time(const Response& response, model::Instant now) {
  return http_fields::parse_http_date(response.field("date")).value_or(now);
}

seconds clamp_wait(seconds wait) { return std::clamp(wait, seconds(1), kMaxWait); }

bool is_rate_limited(const Response& response) {
  if (response.status == kTooManyRequests) return true;
  if (response.status != kForbidden) return false;
  return !response.field("retry-after").empty() || response.field("x-ratelimit-remaining") == "0" ||
         response.body.find("secondary rate limit") != std::string::npos ||
         response.body.find("abuse detection") != std::string::npos;
}

}  // namespace

Result<Response> PendingCall::read() {
  auto response = calls_->receive(std::move(sent_));
  const Api& api = calls_->api();
  const std::string_view target = response ? response->redirect_target(api.origin) : std::string_view();
  if (!target.empty() && request_.body.empty() && api.covers(target)) {
    request_.path = target;
    auto sent = KBASE_TRY(calls_->send(request_, {}));
    response = calls_->receive(std::move(sent));
  }
  if (!response) return response.error();
  if (const auto wait = rate_limit_wait(*response, api.clock.now())) {
    const bool is_of_token = request_.auth == Auth::Token || api.authorization.empty();
    if (is_of_token) calls_->wait_ = std::max(*wait, calls_->wait_.value_or(*wait));
    return unavailable(describe(*response, request_) + ": the rate limit of the service is used up", *wait);
  }
  KBASE_TRY(check_status(*response, request_, api));
  return response;
}

Result<SentRequest> Calls::send(const Request& request, std::string_view if_none_match) {
  if (api_.http == nullptr) return unavailable("there is no HTTP client for codehost.config.base_url", {});
  if (remaining_ == 0) return invalid_response("codehost.config.max_calls is too small for this user");
  --remaining_;
  // A call may be repeated once after a failure, unless few calls are left. So at least half of the calls can start.
  const std::uint32_t repeats = request.body.empty() && remaining_ >= kMinCalls ? 1 : 0;
  remaining_ -= repeats;
  std::vector<ports::HttpField> fields;
  for (const Field& field : api_.fields) fields.push_back({field.name, field.value});
  if (request.auth == Auth::Token && !api_.authorization.empty())
    fields.push_back({"Authorization", api_.authorization});
  if (!if_none_match.empty()) fields.push_back({"If-None-Match", if_none_match});
  if (!request.body.empty()) fields.push_back({"Content-Type", "application/json"});

  const std::string url = api_.origin + request.path;
  ports::HttpRequest sent;
  sent.method = request.body.empty() ? "GET" : "POST";
  sent.url = url;
  sent.fields = fields;
  sent.body = request.body;
  sent.max_body_bytes = kMaxBodyBytes;
  sent.max_attempts = 1 + repeats;
  auto exchange = api_.http->open(call_, sent);
  // An invalid URL comes from the service or from the settings, never from the caller.
  if (!exchange && exchange.error().code == ErrorCode::InvalidArgument)
    return invalid_response("the service returned a URL that is not valid: " + exchange.error().message);
  if (!exchange) return exchange.error();
  return SentRequest{*std::move(exchange), sent.max_attempts};
}

/// Gives back the attempts that the call did not use.
Result<Response> Calls::receive(SentRequest sent) {
  ports::HttpExchange& exchange = *sent.exchange;
  const auto head = KBASE_TRY(exchange.head());
  remaining_ += sent.max_attempts - std::clamp(head.attempts, 1U, sent.max_attempts);
  Response response;
  response.status = head.status;
  for (const ports::HttpField& field : head.fields)
    response.fields.push_back({std::string(field.name), std::string(field.value)});
  std::array<char, 16384> buffer;
  while (true) {
    const auto got = KBASE_TRY(exchange.read(buffer));
    if (got == 0) return response;
    response.body.append(buffer.data(), got);
  }
}

Result<PendingCall> Calls::open(Request request, std::string_view if_none_match) {
  auto sent = KBASE_TRY(send(request, if_none_match));
  return PendingCall(*this, std::move(request), std::move(sent));
}

Result<Response> Calls::get(Request request) {
  auto pending = KBASE_TRY(open(std::move(request)));
  return pending.read();
}

Status Calls::do_without_part(const Error& error) {
  const bool names_wait = error.retry_after.count() > 0;  // a rate limit, or maintenance
  const bool is_failure = error.code == ErrorCode::BadUpstream || (error.code == ErrorCode::Unavailable && !names_wait);
  if (!is_failure) return error;
  misses_part_ = true;
  return {};
}

Status expect_ok(const Response& response, const Request& request) {
  if (response.status == kOk) return {};
  const bool is_refused = response.status == kUnauthorized || response.status == kForbidden;
  return invalid_response(describe(response, request) +
                          (is_refused ? ": the service requires a codehost.config.token with read access" : ""));
}

std::vector<ValidatedCalls::Tagged> ValidatedCalls::parse(std::string_view validator,
                                                          std::span<const Request> known) const {
  std::vector<Tagged> calls;
  if (take_line(validator) != model::format_day(today_)) return calls;
  while (!validator.empty()) {
    const std::string_view line = take_line(validator);
    const std::size_t space = line.find(' ');
    if (space == line.npos) return {};
    const std::string_view path = line.substr(space + 1);
    if (!is_path(path) || !(find_request(known, path) != known.end() || calls_.api().covers(path))) return {};
    calls.push_back({std::string(line.substr(0, space)), std::string(path)});
  }
  if (2 * calls.size() > calls_.remaining()) calls.clear();
  return calls;
}

Result<std::vector<PendingCall>> ValidatedCalls::repeat_calls(const std::vector<Tagged>& before,
                                                              std::span<const Request> known) {
  std::vector<PendingCall> pending;
  for (const auto& [tag, path] : before) {
    const auto found = find_request(known, path);
    Request request = found != known.end() ? *found : Request{path, Auth::Token, {}};
    auto opened = KBASE_TRY(calls_.open(std::move(request), is_entity_tag(tag) ? tag : std::string_view()));
    pending.push_back(std::move(opened));
  }
  return pending;
}

Result<bool> ValidatedCalls::is_unchanged(std::string_view validator, std::span<const Request> known) {
  const std::vector<Tagged> before = parse(validator, known);
  if (before.empty()) return false;
  auto pending = KBASE_TRY(repeat_calls(before, known));
  bool is_same = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    auto response = pending[i].read();
    if (!response) {
      // The look-up requests it again and decides whether it can continue without it.
      KBASE_TRY(calls_.do_without_part(response.error()));
      is_same = false;
      continue;
    }
    if (response->status == kNotModified) continue;
    is_same = is_same && response->tag() == before[i].tag;
    known_responses_.emplace(before[i].path, *std::move(response));
  }
  return is_same;
}

ValidatedCalls::TrackedRequest ValidatedCalls::start(Request request) {
  const auto found = known_responses_.find(request.path);
  if (found != known_responses_.end()) return {*this, std::move(request), found->second};
  auto pending = calls_.open(request);
  return {*this, std::move(request), std::move(pending)};
}

Response ValidatedCalls::record(const Request& request, Response response) {
  read_.push_back({response.tag(), request.path});
  return response;
}

Result<Response> ValidatedCalls::TrackedRequest::read() {
  if (auto* const known = std::get_if<Response>(&source_)) return validated_->record(request_, std::move(*known));
  auto& pending = *std::get_if<Result<PendingCall>>(&source_);
  if (!pending) return pending.error();
  auto response = pending->read();
  if (!response) return response;
  return validated_->record(request_, *std::move(response));
}

std::string ValidatedCalls::validator() const {
  std::string text = model::format_day(today_);
  for (const Tagged& call : read_) text.append("\n").append(call.tag).append(" ").append(call.path);
  return text.size() <= kMaxValidatorBytes && !calls_.misses_part() ? text : std::string();
}

Result<Api> Api::make(ports::HttpClient* http, const ports::Clock& clock, const Options& options,
                      std::vector<Field> fields) {
  const std::string& url = options.base_url;
  const std::size_t scheme = url.find("://");
  // An HTTP client checks the URL itself, in any spelling of the scheme.
  if (scheme == url.npos || url.find_first_of("?#") != url.npos || (http == nullptr && !is_http(url)))
    return invalid_argument(
        "base_url",
        "base_url must be the URL of the service. It must begin with http:// or https:// and have no query.");
  if (utf8::graphic_ascii_length(options.token) != options.token.size())
    return invalid_argument("token", "token must contain only printable ASCII characters without spaces.");
  const std::size_t slash = std::min(url.find('/', scheme + 3), url.size());
  std::string path = url.substr(slash);
  drop_slashes(path);
  return Api{http,
             clock,
             url.substr(0, slash),
             std::move(path),
             std::move(fields),
             options.token.empty() ? std::string() : "Bearer " + options.token,
             std::max(options.max_calls, kMinCalls)};
}

bool Api::covers(std::string_view target) const noexcept {
  if (path.empty()) return true;
  const bool has_dot_segments = target.find("/..") != target.npos || target.find('%') < target.find('?');
  return !has_dot_segments && target.starts_with(path) && target.substr(path.size(), 1) == "/";
}

std::string strip_api_path(std::string url, std::string_view suffix) {
  drop_slashes(url);
  if (url.ends_with(suffix)) url.resize(url.size() - suffix.size());
  return url;
}

Error invalid_response(std::string detail) {
  return {ErrorCode::BadUpstream, "The code-hosting service sent an invalid response.", std::move(detail)};
}

Error user_not_found() { return {ErrorCode::NotFound, "The code-hosting service has no user with this name."}; }

Error unavailable(std::string detail, std::chrono::milliseconds retry_after) {
  return {ErrorCode::Unavailable,
          "The code-hosting service accepts no requests at the moment.",
          std::move(detail),
          {},
          retry_after};
}

bool is_path(std::string_view text) {
  return text.starts_with('/') && !text.starts_with("//") && is_plain(text, kMaxPathBytes);
}

std::string_view Response::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? std::string_view() : found->value;
}

std::string_view Response::next_page() const {
  const std::string_view link = field("link");
  for (std::size_t open = link.find('<'); open != link.npos; open = link.find('<', open + 1)) {
    const std::size_t close = link.find('>', open);
    if (close == link.npos) return {};
    const std::string_view parameters = link.substr(close, link.find('<', close) - close);
    if (parameters.find("rel=\"next\"") != parameters.npos || parameters.find("rel=next") != parameters.npos)
      return path_of(link.substr(open + 1, close - open - 1));
  }
  return {};
}

std::string_view Response::redirect_target(std::string_view origin) const {
  constexpr std::array<std::uint32_t, 4> kMoved{301, 302, 307, 308};
  if (std::find(kMoved.begin(), kMoved.end(), status) == kMoved.end()) return {};
  std::string_view location = field("location");
  if (location.starts_with(origin)) location.remove_prefix(origin.size());
  return location.starts_with('/') ? path_of(location) : std::string_view();
}

std::string Response::tag() const {
  const std::string_view etag = field("etag");
  const bool is_etag = etag.starts_with('"') || etag.starts_with("W/\"");
  if (status == kOk && is_etag && is_plain(etag, kMaxTagBytes)) return std::string(etag);
  std::array<char, 16> digits{};
  const std::uint64_t digest = compute_digest(body) ^ status;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), digest, 16);
  return "#" + std::string(digits.data(), end);
}

std::optional<seconds> retry_after(const Response& response, model::Instant now) {
  const auto wait = http_fields::parse_retry_after(response.field("retry-after"), get_service_time(response, now));
  if (!wait) return std::nullopt;
  return clamp_wait(std::chrono::ceil<seconds>(*wait));
}

seconds time_until_reset(const Response& response, model::Instant now) {
  // GitHub names the fields x-ratelimit-*, GitLab ratelimit-*. Both give seconds since 1970.
  for (const std::string prefix : {"x-ratelimit-", "ratelimit-"}) {
    const auto reset = parse_number(response.field(prefix + "reset"));
    if (reset && response.field(prefix + "remaining") == "0")
      return clamp_wait(seconds(*reset) -
                        std::chrono::floor<seconds>(get_service_time(response, now).time_since_epoch()));
  }
  return kDefaultWait;
}

std::optional<seconds> rate_limit_wait(const Response& response, model::Instant now) {
  if (!is_rate_limited(response)) return std::nullopt;
  if (const auto wait = retry_after(response, now)) return wait;
  return time_until_reset(response, now);
}

}  // namespace kbase::code_host
