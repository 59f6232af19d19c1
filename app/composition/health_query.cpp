// SPDX-License-Identifier: Apache-2.0
#include "app/composition/health_query.hpp"

#include <array>
#include <utility>

#include "adapters/curl/curl_http_client.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "app/config/version.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {
namespace {

constexpr std::size_t kMaxBytes = 64U << 10U;

curl::ClientOptions make_options(const std::string& url, std::chrono::milliseconds timeout) {
  curl::ClientOptions options;
  options.service = "health";
  options.allowed_urls = {url};
  options.user_agent = "kbase/" + std::string(config::kVersion);
  options.connect_timeout = options.first_byte_timeout = options.idle_timeout = options.total_timeout = timeout;
  options.max_body_bytes = kMaxBytes;
  options.retry.max_retries = 0;
  return options;
}

Result<std::string> read_body(ports::HttpExchange& exchange) {
  std::string body;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto count = KBASE_TRY(exchange.read(buffer));
    if (count == 0) return body;
    body.append(buffer.data(), count);
  }
}

}  // namespace

Result<std::string> own_url(const config::Server& settings) {
  if (settings.port == 0)
    return invalid_argument("server.port",
                            "server.port is 0, so the port is not known; give the URL of the server with --url");
  // A server that listens on all addresses is reachable on the loopback address.
  std::string host = settings.address;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != host.npos) host = '[' + host + ']';
  return "http://" + host + ':' + std::to_string(settings.port) + settings.base_path;
}

Result<HealthReply> query_health(std::string url, std::chrono::milliseconds timeout, Platform& platform) {
  while (url.ends_with('/')) url.pop_back();
  url += "/health";
  auto loop = KBASE_TRY(curl::TransferLoop::start());
  prometheus::PrometheusMetrics unused_metrics;
  const auto client = KBASE_TRY(curl::CurlHttpClient::make(
      *loop, {platform.clock, platform.random, platform.log, unused_metrics}, make_options(url, timeout)));
  ports::Call call;
  call.deadline = platform.clock.steady() + timeout;
  ports::HttpRequest request;
  request.url = url;
  const auto exchange = KBASE_TRY(client->open(call, request));
  const auto head = KBASE_TRY(exchange->head());
  const std::uint32_t status = head.status;
  auto body = KBASE_TRY(read_body(*exchange));
  return HealthReply{status, std::move(body)};
}

}  // namespace kbase::composition
