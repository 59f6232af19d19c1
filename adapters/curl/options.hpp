// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kbase::curl {

using std::chrono::milliseconds;

/// When nothing more is asked of a service that fails.
struct BreakerOptions {
  /// Failures in a row after which nothing is asked for a while. 0: never.
  std::uint32_t failures = 5;
  /// How long nothing is asked, doubled each time that the one trial after it fails, up to `longest_pause`.
  milliseconds pause{1000};
  milliseconds longest_pause{60'000};
};

/// How GET and HEAD are sent again, always within the deadline.
struct RetryOptions {
  std::uint32_t max_retries = 2;
  /// Before the first; twice that before each further one, half of it by chance.
  milliseconds pause{100};
  /// The longest Retry-After that is waited for; an answer that asks for more is handed out as it is.
  milliseconds longest_pause{5000};
};

/// A client: one service and the origins it is reached at.
struct ClientOptions {
  /// Its name in figures and in the log, "codehost". One of few.
  std::string service;
  /// The origins that may be asked are those of these URLs; at least one.
  std::vector<std::string> allowed_urls;
  std::string user_agent = "kbase";

  /// PEM file of the authorities that certificates, a proxy's too, must lead to. Empty: the system's.
  std::string ca_file;
  /// "http://proxy.example:3128", which may hold a user and a password; empty: none, whatever the environment says.
  std::string proxy;
  std::string no_proxy;  ///< comma-separated hosts, domains and networks that are reached without

  milliseconds connect_timeout{5000};       ///< name look-up, TCP, proxy and TLS together
  milliseconds first_byte_timeout{10'000};  ///< of each attempt, from its start to the answer's first byte
  milliseconds idle_timeout{30'000};        ///< silence within an answer while somebody wants to read on
  milliseconds total_timeout{0};            ///< from open to the answer's end; 0: the call's deadline alone

  std::size_t max_head_bytes = 64U << 10U;
  std::uint64_t max_body_bytes = 16U << 20U;  ///< unpacked

  /// Exchanges, and so connections, at the same time. Further ones wait in line.
  std::size_t max_concurrent = 16;
  /// How many wait; further ones are refused.
  std::size_t max_waiting = 64;

  RetryOptions retry;
  BreakerOptions breaker;
};

}  // namespace kbase::curl
