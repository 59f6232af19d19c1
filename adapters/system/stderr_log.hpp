// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "adapters/system/line_writer.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::system {

/// Events on standard error, a line each: text for people, JSON for machines. Lines of several threads and processes do
/// not mix. Any thread.
class StderrLog final : public ports::EventLog {
 public:
  enum class Format {
    Auto,  ///< text on a terminal, JSON elsewhere
    Text,
    Json,
  };

  /// The clock outlives the log.
  StderrLog(const ports::Clock& clock, ports::LogLevel level, Format format);

  /// From now on events are written by another thread, many at once, and the callers of log() wait for no reader: what
  /// a slow one leaves no room for is dropped, and said to be. Once.
  void write_in_background();

  bool takes(ports::LogLevel level) const override { return level >= level_.load(std::memory_order_relaxed); }
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;

  /// Events below `level` are dropped from now on.
  void set_level(ports::LogLevel level) { level_ = level; }

 private:
  std::string line_of(ports::LogLevel level, std::string_view event, std::string_view message,
                      std::span<const ports::LogField> fields) const;

  const ports::Clock& clock_;
  std::atomic<ports::LogLevel> level_;
  const bool as_json_;
  std::unique_ptr<LineWriter> background_;
  std::atomic<LineWriter*> writer_{nullptr};  // null: log() writes itself
};

}  // namespace kbase::system
