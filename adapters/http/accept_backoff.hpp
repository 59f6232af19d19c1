// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/string_logger.h>

#include <chrono>
#include <optional>
#include <string>

#include "ports/driven/event_log.hpp"

namespace kbase::http {

/// Keeps Pistache's listener from spinning where it cannot accept, for want of descriptors above all: its thread tries
/// again at once, for ever, and tells its logger alone. So this logger waits a little before it lets the thread go on,
/// and says the first of a row of failures. The listener's thread only.
class AcceptBackoff final : public Pistache::Log::StringLogger {
 public:
  /// `log` outlives it.
  explicit AcceptBackoff(ports::EventLog& log) : log_(log) {}

  void log(Pistache::Log::Level level, const std::string& message) override;
  bool isEnabledFor(Pistache::Log::Level level) const override { return level >= Pistache::Log::Level::WARN; }

 private:
  ports::EventLog& log_;
  std::optional<std::chrono::steady_clock::time_point> failed_at_;
};

}  // namespace kbase::http
