// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::cli {

/// Displays the progress of a long operation on standard error: a bar on a terminal, else a line every five seconds.
/// Single-threaded.
class Progress {
 public:
  explicit Progress(std::string_view title);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1; nullopt: the total is unknown.
  void show(std::optional<double> fraction, std::uint64_t records);

  /// Shows the elapsed time, for operations that do not report progress.
  void show_time();

  /// Erases the bar, so that other lines can be printed.
  void finish();

 private:
  bool is_due();

  const std::string title_;
  const bool on_terminal_;
  bool drawn_ = false;
  const std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace kbase::cli
