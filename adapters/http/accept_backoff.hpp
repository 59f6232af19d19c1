// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/string_logger.h>

#include <chrono>
#include <optional>
#include <string>

#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// Pistache logger that slows down a failing accept loop. When Pistache's listener cannot accept, usually for lack of
/// file descriptors, its thread retries at once without limit and reports the failure only to its logger. This logger
/// sleeps before it returns, and logs the first of a series of failures. Only for the listener's thread.
class AcceptBackoff final : public Pistache::Log::StringLogger {
 public:
  /// `log` must outlive this object.
  explicit AcceptBackoff(ports::EventLog& log) : log_(log) {}

  void log(Pistache::Log::Level level, const std::string& message) override;
  bool isEnabledFor(Pistache::Log::Level level) const override { return level >= Pistache::Log::Level::WARN; }

 private:
  ports::EventLog& log_;
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
};

}  // namespace kbase::http
