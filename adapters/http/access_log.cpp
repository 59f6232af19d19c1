// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/access_log.hpp"

#include <array>
#include <string>

namespace kbase::http {
namespace {

constexpr std::size_t kMaxMethodBytes = 16;  // an unknown method may have any length

std::string address_of(const NetworkAddress& client, LoggedAddress shown) {
  switch (shown) {
    case LoggedAddress::Prefix:
      return client.network();
    case LoggedAddress::Full:
      return client.text();
    case LoggedAddress::Hash:
    case LoggedAddress::None:
      break;
  }
  return {};
}

}  // namespace

void AccessLog::say(const AnsweredRequest& request) const {
  if (!log_.takes(ports::LogLevel::Info)) return;
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(request.time).count();
  std::array<ports::LogField, 8> fields = {{{"method", request.method.substr(0, kMaxMethodBytes)},
                                            {"route", request.route},
                                            {"status", static_cast<std::uint64_t>(request.status)},
                                            {"bytes", request.bytes},
                                            {"microseconds", static_cast<std::uint64_t>(microseconds)},
                                            {"request_id", request.request_id}}};
  std::size_t count = 6;
  ports::Pseudonym name;
  if (request.client_id && (request.has_key || shown_ != LoggedAddress::None)) {
    name = pseudonyms_.of(*request.client_id);
    fields[count++] = {"client_id", std::string_view(name.data(), name.size())};
  }
  const std::string address = address_of(request.client, shown_);
  if (!address.empty()) fields[count++] = {"client", address};
  log_.log(ports::LogLevel::Info, "http.request", "A request was answered.", std::span(fields).first(count));
}

void AccessLog::say_failure(std::string_view request_id, std::string_view cause) const {
  const std::array<ports::LogField, 2> fields = {{{"request_id", request_id}, {"cause", cause}}};
  log_.log(ports::LogLevel::Error, "http.failed", "A request could not be answered.", fields);
}

}  // namespace kbase::http
