// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::cli {

/// How far long work is, on standard error: a bar that is drawn over itself on a terminal, else a plain line every few
/// seconds. One thread.
class Progress {
 public:
  explicit Progress(std::string_view title);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1; nullopt: nobody knows how much there is.
  void show(std::optional<double> fraction, std::uint64_t records);

  /// The same for work that tells nothing of itself: how long it takes already.
  void show_time();

  /// Takes the bar away, so that other lines may be written.
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
