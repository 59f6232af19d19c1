// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ports/driven/clock.hpp"
#include "ports/driven/crypto.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/metrics.hpp"

namespace kbase::curl {

using std::chrono::milliseconds;

/// When the circuit breaker of a failing service opens.
struct BreakerOptions {
  /// Failures in a row after which the breaker opens. 0: never.
  std::uint32_t failures = 5;
  /// How long the breaker stays open. Doubled, up to `max_pause`, each time that the trial after it fails.
  milliseconds pause{1000};
  milliseconds max_pause{60'000};
};

/// How GET and HEAD requests are retried. Retries never exceed the deadline.
struct RetryOptions {
  std::uint32_t max_retries = 2;
  /// Pause before the first retry. Doubled for each further retry. Up to half of it is random.
  milliseconds pause{100};
  /// Maximum Retry-After that is waited for. A response with a longer one is returned to the caller.
  milliseconds max_pause{5000};
};

/// Options of a client: one service and the origins at which it is reached.
struct ClientOptions {
  /// Name of the service in metrics and in the log, such as "codehost". A label value, so only few names may exist.
  std::string service;
  /// Requests may only go to the origins of these URLs. At least one.
  std::vector<std::string> allowed_urls;
  std::string user_agent = "kbase";

  /// PEM file of the certificate authorities to trust, also for a proxy. Empty: those of the system.
  std::string ca_file;
  /// Proxy, such as "http://proxy.example:3128"; may contain user and password. Empty: no proxy, even if the
  /// environment names one.
  std::string proxy;
  std::string no_proxy;  ///< comma-separated hosts, domains and networks to reach without the proxy

  milliseconds connect_timeout{5000};       ///< name look-up, TCP, proxy and TLS together
  milliseconds first_byte_timeout{10'000};  ///< per attempt, from its start to the first byte of the response
  milliseconds idle_timeout{30'000};        ///< silence within a response while the reader waits for more
  milliseconds total_timeout{0};            ///< from open() to the end of the response; 0: only the call's deadline

  std::size_t max_head_bytes = 64U << 10U;
  std::uint64_t max_body_bytes = 16U << 20U;  ///< after decompression

  /// Maximum number of concurrent exchanges, and so of connections. Further exchanges wait in a queue.
  std::size_t max_concurrent = 16;
  /// Maximum length of the queue. Further exchanges are refused.
  std::size_t max_waiting = 64;

  RetryOptions retry;
  BreakerOptions breaker;
};

/// The ports that a client uses. They must outlive the client and its exchanges.
struct ClientPorts {
  const ports::Clock& clock;
  ports::Random& random;
  ports::EventLog& log;
  ports::Metrics& metrics;
};

}  // namespace kbase::curl
