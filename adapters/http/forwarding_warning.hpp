// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "adapters/http/client_address.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// Tells the operator of a proxy that was forgotten among the trusted ones: all clients behind it share one quota. A
/// request counts for a sign of it where it has a forwarded address and comes from this machine or a private network;
/// from anywhere else it is a client that makes its address up. Says so at most once a minute, with what to add to the
/// configuration. Any thread.
class ForwardingWarning {
 public:
  /// `log` and `clock` outlive it. `trusted_proxies` as the configuration has them.
  ForwardingWarning(ports::EventLog& log, const ports::Clock& clock, std::vector<std::string> trusted_proxies)
      : log_(log), clock_(clock), trusted_proxies_(std::move(trusted_proxies)) {}

  /// Looks at a request whose peer is not trusted.
  void look(const Request& request, const NetworkAddress& peer);

 private:
  bool is_due();

  ports::EventLog& log_;
  const ports::Clock& clock_;
  const std::vector<std::string> trusted_proxies_;
  std::atomic<std::chrono::steady_clock::time_point> next_{};
};

}  // namespace kbase::http
