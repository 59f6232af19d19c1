// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

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

 private:
  void run();
  void write_out(std::string_view lines);
  bool is_writable();

  const int descriptor_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string waiting_;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace kbase::system
