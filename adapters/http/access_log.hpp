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

/// One answered request. What is not here cannot come into the log: no key, no query string, no path.
struct AnsweredRequest {
  std::string_view method;  ///< "-": none was read
  std::string_view route;   ///< the pattern, or "-"
  std::string_view request_id;
  Status status = Status::Ok;
  std::size_t bytes = 0;  ///< of the body as sent
  std::chrono::nanoseconds time{0};
  std::optional<model::ClientId> client_id;  ///< whom the quota counts
  bool has_key = false;                      ///< the subject is a key, not the client's address
  const NetworkAddress& client;
};

/// Says each answered request as "http.request", its client by no more than the options allow. Any thread.
class AccessLog {
 public:
  /// What it is given outlives it.
  AccessLog(ports::EventLog& log, const ports::Pseudonyms& pseudonyms, LoggedAddress shown)
      : log_(log), pseudonyms_(pseudonyms), shown_(shown) {}

  void say(const AnsweredRequest& request) const;

  /// Says "http.failed": the cause of a server error, which its client is not told.
  void say_failure(std::string_view request_id, std::string_view cause) const;

 private:
  ports::EventLog& log_;
  const ports::Pseudonyms& pseudonyms_;
  const LoggedAddress shown_;
};

}  // namespace kbase::http
