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

/// Warns the operator of a proxy that is missing in trusted_proxies, because all clients behind it share one rate
/// limit. Detects a request with a forwarding field from this machine or from a private network; from other addresses
/// the field is assumed to be forged by a client. Logs at most once a minute, with the configuration to set.
/// Thread-safe.
class ForwardingWarning {
 public:
  /// `log` and `clock` must outlive this object. `trusted_proxies` is the configured list.
  ForwardingWarning(ports::EventLog& log, const ports::Clock& clock, std::vector<std::string> trusted_proxies)
      : log_(log), clock_(clock), trusted_proxies_(std::move(trusted_proxies)) {}

  /// Checks a request whose peer is not trusted.
  void look(const Request& request, const NetworkAddress& peer);

 private:
  bool is_due();

  ports::EventLog& log_;
  const ports::Clock& clock_;
  const std::vector<std::string> trusted_proxies_;
  std::atomic<std::chrono::steady_clock::time_point> next_{};
};

}  // namespace kbase::http
