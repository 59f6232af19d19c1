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

/// Writes lines to a descriptor from a thread of its own, many at once, so that whoever says something never waits for
/// whoever reads it: a log that nobody takes must not stop a server. What does not fit is dropped and counted. Lines of
/// several processes do not mix. Any thread.
class LineWriter {
 public:
  /// `descriptor` stays the caller's. At most `capacity` bytes wait.
  explicit LineWriter(int descriptor, std::size_t capacity = 4 << 20);

  /// Writes what waits, but for no longer than a second.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  /// `line` ends with its line feed. Says how many lines were dropped between the last one that was taken and this one,
  /// 0 where this one is dropped too.
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
