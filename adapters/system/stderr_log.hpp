// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::system {

/// Events on standard error, a line each: text for people, JSON for machines. A line is one write, so that lines of
/// several threads and processes do not mix. Any thread.
class StderrLog final : public ports::EventLog {
 public:
  enum class Format {
    Auto,  ///< text on a terminal, JSON elsewhere
    Text,
    Json,
  };

  /// The clock outlives the log.
  StderrLog(const ports::Clock& clock, ports::LogLevel level, Format format);

  bool takes(ports::LogLevel level) const override { return level >= level_.load(std::memory_order_relaxed); }
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;

  /// Events below `level` are dropped from now on.
  void set_level(ports::LogLevel level) { level_ = level; }

 private:
  const ports::Clock& clock_;
  std::atomic<ports::LogLevel> level_;
  const bool as_json_;
};

}  // namespace kbase::system
