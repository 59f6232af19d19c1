// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/telemetry.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "domain/base/encoding.hpp"
#include "domain/base/text.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kMaxLength = 64;

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLength && std::all_of(text.begin(), text.end(), [](char c) {
    return ascii::is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
  });
}

constexpr std::size_t kMaxMethodBytes = 16;  // an unknown method may have any length

std::string address_of(const NetworkAddress& client, LoggedAddress shown) {
  switch (shown) {
    case LoggedAddress::Prefix: return client.network();
    case LoggedAddress::Full: return client.text();
    case LoggedAddress::Hash:
    case LoggedAddress::None: break;
  }
  return {};
}

constexpr std::string_view kNoRoute = "-";

// Bucket bounds in seconds, from a reply out of memory to one that a client barely waits for.
constexpr std::array<double, 14> kLatencyBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                   0.025,  0.05,    0.1,    0.25,  0.5,    1,     5};

}  // namespace

RequestIds::RequestIds(ports::Random& random) {
  std::array<std::uint8_t, 8> bytes{};
  random.fill(bytes);
  prefix_ = to_hex(bytes) + '-';
}

std::string RequestIds::choose_id(const Request& request) {
  const auto given = request.field("x-request-id");
  return given && is_id(*given) ? std::string(*given) : make_id();
}

std::string RequestIds::make_id() { return prefix_ + std::to_string(count_.fetch_add(1, std::memory_order_relaxed)); }

void AccessLog::log_request(const AccessLogEntry& request) const {
  if (!log_.is_enabled(ports::LogLevel::Info)) return;
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(request.time).count();
  std::array<ports::LogField, 8> fields = {{{"method", request.method.substr(0, kMaxMethodBytes)},
                                            {"route", request.route},
                                            {"status", static_cast<std::uint64_t>(request.status)},
                                            {"bytes", request.bytes},
                                            {"microseconds", static_cast<std::uint64_t>(microseconds)},
                                            {"request_id", request.request_id}}};
  std::size_t count = 6;
  ports::Pseudonym name;
  if (request.client_id && (request.has_key || address_mode_ != LoggedAddress::None)) {
    name = pseudonyms_.of(*request.client_id);
    fields[count++] = {"client_id", std::string_view(name.data(), name.size())};
  }
  const std::string address = address_of(request.client, address_mode_);
  if (!address.empty()) fields[count++] = {"client", address};
  log_.log(ports::LogLevel::Info, "http.request", "", std::span(fields).first(count));
}

void AccessLog::log_failure(std::string_view request_id, std::string_view cause) const {
  const std::array<ports::LogField, 2> fields = {{{"request_id", request_id}, {"cause", cause}}};
  log_.log(ports::LogLevel::Error, "http.failed", "A request could not be answered.", fields);
}

HttpMetrics::HttpMetrics(ports::Metrics& metrics, std::span<const Route> routes, std::span<const Route> pages)
    : metrics_(metrics),
      routes_(routes),
      pages_(pages),
      by_route_(routes.size() + pages.size() + 1),
      in_flight_(metrics.gauge("kbase_http_requests_in_flight", "Requests in progress.")),
      request_bytes_(metrics.counter("kbase_http_request_body_bytes_total", "Bytes of request bodies.")),
      response_bytes_(
          metrics.counter("kbase_http_response_bytes_total", "Bytes of responses, including their heads.")) {
  for (std::size_t i = 0; i < by_route_.size(); ++i) {
    by_route_[i].name = i < routes.size()          ? std::string(routes[i].pattern)
                        : i + 1 < by_route_.size() ? page_name(pages[i - routes.size()])
                                                   : std::string(kNoRoute);
    by_route_[i].seconds = &metrics.histogram("kbase_http_request_duration_seconds",
                                              "Time from the last byte of a request to its response.", kLatencyBounds,
                                              {{"route", by_route_[i].name}});
  }
  constexpr std::array<std::string_view, 2> kClientKinds = {"address", "key"};
  constexpr std::array<std::string_view, 2> kWindows = {"minute", "day"};
  for (std::size_t client_kind = 0; client_kind < kClientKinds.size(); ++client_kind)
    for (std::size_t window = 0; window < kWindows.size(); ++window)
      denials_[client_kind][window] =
          &metrics.counter("kbase_quota_denials_total", "Requests that were denied with status 429.",
                           {{"client", kClientKinds[client_kind]}, {"window", kWindows[window]}});
}

HttpMetrics::RouteSeries& HttpMetrics::find_series(const Route* route) const noexcept {
  if (route == nullptr) return by_route_.back();
  // Pointers into different arrays have an order only by std::less.
  const bool is_page =
      !pages_.empty() && !std::less<>()(route, pages_.data()) && std::less<>()(route, pages_.data() + pages_.size());
  return by_route_[is_page ? routes_.size() + static_cast<std::size_t>(route - pages_.data())
                           : static_cast<std::size_t>(route - routes_.data())];
}

/// Two threads that both find no counter get the same one, because a series exists once.
ports::Counter& HttpMetrics::request_counter(RouteSeries& route, HttpStatus status) const {
  auto& slot = route.requests.at(static_cast<std::size_t>(status) - kMinStatus);
  ports::Counter* counter = slot.load(std::memory_order_acquire);
  if (counter == nullptr) {
    const std::string code = std::to_string(static_cast<int>(status));
    counter = &metrics_.counter("kbase_http_requests_total", "Responses by endpoint and status.",
                                {{"route", route.name}, {"status", code}});
    slot.store(counter, std::memory_order_release);
  }
  return *counter;
}

void HttpMetrics::record_response(const Route* route, HttpStatus status, std::chrono::nanoseconds time,
                                  std::size_t request_bytes, std::size_t response_bytes) const {
  RouteSeries& series = find_series(route);
  request_counter(series, status).add();
  series.seconds->observe(std::chrono::duration<double>(time).count());
  if (request_bytes > 0) request_bytes_.add(request_bytes);
  response_bytes_.add(response_bytes);
}

void HttpMetrics::record_refusal(HttpStatus status, std::size_t response_bytes) const {
  request_counter(find_series(nullptr), status).add();
  response_bytes_.add(response_bytes);
}

void HttpMetrics::record_denial(const ports::Admission& admission) const {
  const bool is_minute = admission.plan.limits.per_minute > 0 && admission.decision.minute.remaining == 0;
  denials_[admission.has_key ? 1 : 0][is_minute ? 0 : 1]->add();
}

}  // namespace kbase::http
