// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/accept_backoff.hpp"

#include <thread>

namespace kbase::http {
namespace {

constexpr std::chrono::milliseconds kPause{50};
constexpr std::chrono::seconds kSameTrouble{10};  // failures within this time are logged once

}  // namespace

void AcceptBackoff::log(Pistache::Log::Level, const std::string& message) {
  const auto now = std::chrono::steady_clock::now();
  if (!failed_at_ || now - *failed_at_ > kSameTrouble) {
    const ports::LogField cause{"cause", message};
    log_.log(ports::LogLevel::Warning, "http.accept_failed", "A connection could not be accepted; it is tried again.",
             {&cause, 1});
  }
  failed_at_ = now;
  std::this_thread::sleep_for(kPause);
}

}  // namespace kbase::http
