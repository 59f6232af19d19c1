// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "ports/driven/clock.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::system {

/// Writes lines to a descriptor from a background thread, in batches, so that a slow reader of the log never blocks the
/// callers. Lines that exceed the buffer are dropped and counted. Lines of several processes do not interleave.
/// Thread-safe.
class LineWriter {
 public:
  /// Does not take ownership of `descriptor`. Buffers at most `capacity` bytes.
  explicit LineWriter(int descriptor, std::size_t capacity = 4 << 20);

  /// Flushes the buffer, for at most one second.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// Queues `line`, which must end with a line feed. Returns the number of lines dropped since the last accepted line;
  /// returns 0 if this line is dropped too.
  std::uint64_t write(std::string_view line);

  /// Waits until the queued lines are written, for at most one second.
  void flush();

 private:
  void run();
  void write_out(std::string_view lines);
  bool wait_writable();

  const int descriptor_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable wake_, written_;
  std::string pending_;
  std::uint64_t batches_ = 0;  // written or given up
  bool is_writing_ = false;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

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

  bool is_enabled(ports::LogLevel level) const override { return level >= level_.load(std::memory_order_relaxed); }
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields = {}) override;
  void flush() override;

  /// Drops events below `level` from now on.
  void set_level(ports::LogLevel level) { level_ = level; }

 private:
  std::string format_line(ports::LogLevel level, std::string_view event, std::string_view message,
                          std::span<const ports::LogField> fields) const;

  const ports::Clock& clock_;
  std::atomic<ports::LogLevel> level_;
  const bool as_json_;
  std::unique_ptr<LineWriter> background_;
  std::atomic<LineWriter*> writer_{nullptr};  // null: log() writes synchronously
};

}  // namespace kbase::system
