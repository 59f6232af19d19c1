// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace kbase::plugin_check {

/// What a contained process is doing, in memory that outlives it: the parent reads it where the process does not live
/// to tell. Any thread may write; the last one's step is what is read.
class Steps {
 public:
  Steps();
  ~Steps();
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void enter(std::string_view step) noexcept;
  void leave() noexcept { enter({}); }

  /// Empty: nothing in particular.
  std::string last() const;

 private:
  struct Shared;
  Shared* shared_;
};

}  // namespace kbase::plugin_check
