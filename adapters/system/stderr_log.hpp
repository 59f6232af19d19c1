// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "adapters/system/line_writer.hpp"
#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::system {

/// Event log on standard error, one line per event, as text or JSON. Lines of several threads and processes do not
/// interleave. Thread-safe.
class StderrLog final : public ports::EventLog {
 public:
  enum class Format {
    Auto,  ///< text on a terminal, JSON elsewhere
    Text,
    Json,
  };

  /// `clock` must outlive the log.
  StderrLog(const ports::Clock& clock, ports::LogLevel level, Format format);

  /// Switches to a background thread that writes events in batches, so that log() no longer blocks on a slow reader.
  /// Events that exceed the buffer are dropped, and their number is logged. Call at most once.
  void write_in_background();

  bool takes(ports::LogLevel level) const override { return level >= level_.load(std::memory_order_relaxed); }
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;

  /// Drops events below `level` from now on.
  void set_level(ports::LogLevel level) { level_ = level; }

 private:
  std::string line_of(ports::LogLevel level, std::string_view event, std::string_view message,
                      std::span<const ports::LogField> fields) const;

  const ports::Clock& clock_;
  std::atomic<ports::LogLevel> level_;
  const bool as_json_;
  std::unique_ptr<LineWriter> background_;
  std::atomic<LineWriter*> writer_{nullptr};  // null: log() writes synchronously
};

}  // namespace kbase::system
