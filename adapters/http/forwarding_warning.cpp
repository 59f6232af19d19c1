// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/forwarding_warning.hpp"

namespace kbase::http {
namespace {

constexpr std::chrono::minutes kPause{1};

bool is_forwarded(const Request& request) {
  return request.field("x-forwarded-for").has_value() || request.field("forwarded").has_value();
}

/// Returns the networks and `added` as a YAML list.
std::string list_with(const std::vector<std::string>& networks, const std::string& added) {
  std::string list = "[";
  for (const std::string& network : networks) list.append("\"").append(network).append("\", ");
  return list.append("\"").append(added).append("\"]");
}

}  // namespace

void ForwardingWarning::look(const Request& request, const NetworkAddress& peer) {
  if (!peer.is_private() || !is_forwarded(request) || !is_due()) return;
  const std::string line = "server: { trusted_proxies: " + list_with(trusted_proxies_, peer.text()) + " }";
  const ports::LogField fields[] = {{"configuration", line}};
  log_.log(ports::LogLevel::Warning, "http.proxy_not_trusted",
           "A request names the client it was forwarded for, but the proxy it came from is not trusted: all clients "
           "behind it share one quota. If the proxy is yours, add it to the configuration.",
           fields);
}

/// If several threads call it at the same time, it returns true for one of them.
bool ForwardingWarning::is_due() {
  const auto now = clock_.steady();
  auto next = next_.load(std::memory_order_relaxed);
  return now >= next && next_.compare_exchange_strong(next, now + kPause, std::memory_order_relaxed);
}

}  // namespace kbase::http
