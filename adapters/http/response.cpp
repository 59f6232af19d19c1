// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/response.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "adapters/base/date_field.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/static_content.hpp"

namespace kbase::http {

bool BodyPipe::write(std::string_view bytes) {
  bool was_empty = false;
  {
    std::unique_lock lock(mutex_);
    space_available_.wait(lock, [this] { return is_reader_closed_ || queued_.size() + in_flight_bytes_ < kCapacity; });
    if (is_reader_closed_) return false;
    was_empty = queued_.empty();
    append_frame(queued_, bytes);
  }
  if (was_empty) notify_();
  return true;
}

void BodyPipe::close(State state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
    if (state == State::Complete && framing_ == Framing::Chunked) queued_ += "0\r\n\r\n";
  }
  notify_();
}

BodyPipe::State BodyPipe::read(std::string& bytes) {
  bytes.clear();
  State state = State::Open;
  {
    const std::lock_guard lock(mutex_);
    bytes.swap(queued_);
    in_flight_bytes_ = bytes.size();
    if (bytes.empty()) state = state_;
  }
  space_available_.notify_one();
  return state;
}

std::string BodyPipe::frame(std::string_view bytes) const {
  std::string text;
  append_frame(text, bytes);
  return text;
}

void BodyPipe::close_reader() {
  {
    const std::lock_guard lock(mutex_);
    is_reader_closed_ = true;
    std::string().swap(queued_);
  }
  space_available_.notify_one();
}

/// Skips empty data, because a chunk of size 0 would end the body.
void BodyPipe::append_frame(std::string& to, std::string_view bytes) const {
  if (bytes.empty()) return;
  if (framing_ == Framing::UntilClose) {
    to += bytes;
    return;
  }
  std::array<char, 2 * sizeof(std::size_t)> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
  to.append(digits.data(), end).append("\r\n").append(bytes).append("\r\n");
}

namespace {

bool contains(const std::vector<std::string>& texts, std::string_view wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

constexpr std::uint64_t kNoLimit = 2147483647;
constexpr std::int64_t kDaySeconds = 86'400;

struct Window {
  std::string_view name;
  std::int64_t seconds = 0;
  std::uint32_t limit = 0;
  model::WindowState state;
};

std::array<Window, 2> list_windows(const ports::Admission& admission) {
  const model::Limits& limits = admission.plan.limits;
  return {{{"\"minute\"", 60, limits.per_minute, admission.decision.minute},
           {"\"day\"", kDaySeconds, limits.per_day, admission.decision.day}}};
}

/// Limited to `at_most`, the length of the window, because the rate limiter may have read the clock after `now`.
std::int64_t seconds_until(model::Instant reset, model::Instant now, std::int64_t at_most) {
  return std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(reset - now).count(), 0, at_most);
}

std::optional<Window> find_tightest_window(std::span<const Window> windows) {
  std::optional<Window> chosen;
  for (const Window& window : windows) {
    if (window.limit == 0) continue;
    const bool is_tighter =
        !chosen || window.state.remaining < chosen->state.remaining ||
        (window.state.remaining == chosen->state.remaining && window.state.reset > chosen->state.reset);
    if (is_tighter) chosen = window;
  }
  return chosen;
}

constexpr std::size_t kCommonHeadBytes = 1024;
constexpr std::string_view kJsonPolicy = "default-src 'none'; frame-ancestors 'none'";

void write_status_line(std::string& head, HttpStatus status) {
  head.append("HTTP/1.1 ").append(std::to_string(static_cast<int>(status))).append(" ");
  head.append(Pistache::Http::codeString(status)).append("\r\n");
}

bool has_content(HttpStatus status) { return status != HttpStatus::No_Content && status != HttpStatus::Not_Modified; }

bool is_stream(const Reply& reply) { return reply.format == Reply::Format::EventStream; }

bool is_page(const Reply& reply) { return reply.format == Reply::Format::Page; }

void write_caching(std::string& head, const Reply& reply, std::chrono::seconds max_age) {
  if (reply.prepared != nullptr && reply.prepared->is_immutable)
    return add_field(head, "Cache-Control", "public, max-age=31536000, immutable");
  if (is_page(reply)) return add_field(head, "Cache-Control", "no-cache");
  if (is_stream(reply)) return add_field(head, "Cache-Control", "no-store, no-transform");
  if (reply.caching == Reply::Caching::Never) return add_field(head, "Cache-Control", "no-store");
  if (max_age.count() <= 0) return add_field(head, "Cache-Control", "private, no-cache");
  add_field(head, "Cache-Control", "private, max-age=" + std::to_string(max_age.count()));
}

void write_vary(std::string& head, const Reply& reply, const CorsPolicy& cors) {
  const bool by_encoding = reply.status != HttpStatus::No_Content && !is_stream(reply);
  if (by_encoding && cors.varies()) return add_field(head, "Vary", "Accept-Encoding, Origin");
  if (by_encoding) return add_field(head, "Vary", "Accept-Encoding");
  if (cors.varies()) add_field(head, "Vary", "Origin");
}

/// In HTTP/1.0, only closing the connection ends a body of unknown length.
HttpResponse::Connection connection_after(const Reply& reply, const ResponseContext& context) {
  return is_stream(reply) && context.is_http_1_0 ? HttpResponse::Connection::Close : context.connection;
}

void write_connection(std::string& head, HttpResponse::Connection connection, const ResponseContext& context) {
  if (connection == HttpResponse::Connection::Close)
    add_field(head, "Connection", "close");
  else if (context.is_http_1_0)
    add_field(head, "Connection", "keep-alive");
}

/// Encodes the body and writes the fields that describe it.
void write_content(std::string& head, Reply& reply, const ResponseContext& context) {
  if (!has_content(reply.status)) {
    reply.body.clear();
    return;
  }
  if (is_stream(reply)) {
    add_field(head, "Content-Type", "text/event-stream");
    if (!context.is_http_1_0) add_field(head, "Transfer-Encoding", "chunked");
    return;
  }
  if (reply.prepared != nullptr) {
    const bool is_compressed = context.takes_gzip && !reply.prepared->gzip_body.empty();
    reply.body = is_compressed ? reply.prepared->gzip_body : reply.prepared->body;
    add_field(head, "Content-Type", reply.prepared->content_type);
    if (is_compressed) add_field(head, "Content-Encoding", "gzip");
    add_field(head, "Content-Length", std::to_string(reply.body.size()));
    return;
  }
  add_field(head, "Content-Type", reply.content_type);
  if (context.takes_gzip && reply.body.size() > kCompressionThreshold) {
    if (auto gzip_body = gzip(reply.body)) {
      reply.body = *std::move(gzip_body);
      add_field(head, "Content-Encoding", "gzip");
    }
  }
  add_field(head, "Content-Length", std::to_string(reply.body.size()));
}

}  // namespace

CorsPolicy::CorsPolicy(const CorsOptions& options) : options_(options), any_(contains(options.allowed_origins, "*")) {}

void CorsPolicy::write_fields(std::string& fields, std::optional<std::string_view> origin) const {
  if (any_)
    add_field(fields, "Access-Control-Allow-Origin", "*");
  else if (origin && contains(options_.allowed_origins, *origin))
    add_field(fields, "Access-Control-Allow-Origin", *origin);
  add_field(fields, "Access-Control-Expose-Headers",
            "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After, "
            "X-Request-Id, X-Search-Match, X-Search-Relaxed, X-Search-Synonyms, X-Search-Corrected, "
            "X-Search-Did-You-Mean, X-Search-Id, ETag");
}

void CorsPolicy::write_preflight(std::string& fields) const {
  add_field(fields, "Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, OPTIONS");
  // `*` matches every field except Authorization.
  add_field(fields, "Access-Control-Allow-Headers",
            "Authorization, Content-Type, If-Match, If-None-Match, X-Request-Id, *");
  add_field(fields, "Access-Control-Max-Age", std::to_string(options_.max_age.count()));
}

RateState compute_rate_state(const ports::Admission& admission, model::Instant now) {
  const auto windows = list_windows(admission);
  const std::optional<Window> window = find_tightest_window(windows);
  const model::Instant reset = window ? window->state.reset : model::next_midnight(now);
  RateState state;
  state.limit = window ? window->limit : kNoLimit;
  state.remaining = window ? window->state.remaining : kNoLimit;
  state.reset = std::chrono::ceil<std::chrono::seconds>(reset.time_since_epoch()).count();
  state.retry_after = std::chrono::seconds(
      std::max<std::int64_t>(1, seconds_until(reset, now, window ? window->seconds : kDaySeconds)));
  return state;
}

void write_rate_fields(std::string& fields, const ports::Admission& admission, model::Instant now) {
  const RateState state = compute_rate_state(admission, now);
  add_field(fields, "X-RateLimit-Limit", std::to_string(state.limit));
  add_field(fields, "X-RateLimit-Remaining", std::to_string(state.remaining));
  add_field(fields, "X-RateLimit-Reset", std::to_string(state.reset));

  std::string policy;
  std::string remaining;
  for (const Window& window : list_windows(admission)) {
    if (window.limit == 0) continue;
    const std::string_view separator = policy.empty() ? "" : ", ";
    policy.append(separator).append(window.name).append(";q=").append(std::to_string(window.limit));
    policy.append(";w=").append(std::to_string(window.seconds));
    remaining.append(separator).append(window.name).append(";r=").append(std::to_string(window.state.remaining));
    remaining.append(";t=").append(std::to_string(seconds_until(window.state.reset, now, window.seconds)));
  }
  if (policy.empty()) return;
  add_field(fields, "RateLimit-Policy", policy);
  add_field(fields, "RateLimit", remaining);
}

HttpResponse compose_response(Reply reply, const ResponseContext& context) {
  HttpResponse response;
  response.status = reply.status;
  response.connection = connection_after(reply, context);
  std::string& head = response.head;
  head.reserve(kCommonHeadBytes);
  write_status_line(head, reply.status);
  add_field(head, "Date", format_date(context.now, "GMT"));
  write_content(head, reply, context);
  write_caching(head, reply, context.max_age);
  if (!reply.entity_tag.empty()) add_field(head, "ETag", reply.entity_tag);
  write_vary(head, reply, context.cors);
  head += reply.fields;
  write_rate_fields(head, context.admission, context.now);
  add_field(head, "X-Request-Id", context.request_id);
  if (!is_page(reply)) context.cors.write_fields(head, context.origin);
  add_field(head, "X-Content-Type-Options", "nosniff");
  add_field(head, "Content-Security-Policy", is_page(reply) ? kPagePolicy : kJsonPolicy);
  if (is_page(reply)) add_field(head, "Referrer-Policy", "no-referrer");
  write_connection(head, response.connection, context);
  head += "\r\n";
  if (!context.is_head) response.body = std::move(reply.body);
  return response;
}

}  // namespace kbase::http
