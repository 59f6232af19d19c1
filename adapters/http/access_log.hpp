// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "adapters/http/answer.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// One answered request, as the log tells it: no key, no query string, no address.
struct LoggedRequest {
  std::string_view method;   ///< "-": none was read
  std::string_view route;    ///< the pattern, or "-"
  std::string_view subject;  ///< whom the quota counts
  std::string_view request_id;
  Status status = Status::Ok;
  std::size_t bytes = 0;  ///< of the body as sent
  std::chrono::nanoseconds time{0};
};

/// Says "http.request".
void log_request(ports::EventLog& log, const LoggedRequest& request);

/// Says "http.failed": the cause of a server error, which its client is not told.
void log_failure(ports::EventLog& log, std::string_view request_id, std::string_view cause);

}  // namespace kbase::http
