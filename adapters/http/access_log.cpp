// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/access_log.hpp"

#include <array>
#include <string>

namespace kbase::http {
namespace {

constexpr std::size_t kMaxMethodBytes = 16;  // an unknown method may be of any length

}  // namespace

void log_request(ports::EventLog& log, const LoggedRequest& request) {
  const std::string status = std::to_string(static_cast<int>(request.status));
  const std::string bytes = std::to_string(request.bytes);
  const std::string microseconds =
      std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(request.time).count());
  const std::array<ports::LogField, 7> fields = {{{"method", request.method.substr(0, kMaxMethodBytes)},
                                                  {"route", request.route},
                                                  {"status", status},
                                                  {"bytes", bytes},
                                                  {"microseconds", microseconds},
                                                  {"request_id", request.request_id},
                                                  {"subject", request.subject}}};
  log.log(ports::LogLevel::Info, "http.request", "A request was answered.", fields);
}

void log_failure(ports::EventLog& log, std::string_view request_id, std::string_view cause) {
  const std::array<ports::LogField, 2> fields = {{{"request_id", request_id}, {"cause", cause}}};
  log.log(ports::LogLevel::Error, "http.failed", "A request could not be answered.", fields);
}

}  // namespace kbase::http
