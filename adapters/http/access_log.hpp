// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "adapters/http/client_address.hpp"
#include "adapters/http/server_options.hpp"
#include "domain/model/plan.hpp"
#include "ports/driven/event_log.hpp"
#include "ports/driven/pseudonyms.hpp"

namespace kbase::http {

/// Data of one access log entry. Excludes keys, query strings and paths, so that they cannot be logged.
struct AnsweredRequest {
  std::string_view method;  ///< "-" if no method was read
  std::string_view route;   ///< route pattern, or "-"
  std::string_view request_id;
  Status status = Status::Ok;
  std::size_t bytes = 0;  ///< body bytes as sent
  std::chrono::nanoseconds time{0};
  std::optional<model::ClientId> client_id;  ///< client that the rate limiter counts
  bool has_key = false;                      ///< the client is an API key, not an address
  const NetworkAddress& client;
};

/// Writes the access log: an "http.request" event per request, with as much of the client's address as the options
/// allow. Thread-safe.
class AccessLog {
 public:
  /// The arguments must outlive this object.
  AccessLog(ports::EventLog& log, const ports::Pseudonyms& pseudonyms, LoggedAddress shown)
      : log_(log), pseudonyms_(pseudonyms), shown_(shown) {}

  void say(const AnsweredRequest& request) const;

  /// Logs "http.failed" with the cause of a server error. The client does not get the cause.
  void say_failure(std::string_view request_id, std::string_view cause) const;

 private:
  ports::EventLog& log_;
  const ports::Pseudonyms& pseudonyms_;
  const LoggedAddress shown_;
};

}  // namespace kbase::http
