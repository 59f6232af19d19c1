// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace kbase::plugin_check {

/// The current step of a contained process, in shared memory, so that the parent can read it after a crash. Any thread
/// may write; the latest step is kept.
class Steps {
 public:
  Steps();
  ~Steps();
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void enter(std::string_view step) noexcept;
  void leave() noexcept { enter({}); }

  /// Empty: no particular step.
  std::string last() const;

 private:
  struct Shared;
  Shared* shared_;
};

}  // namespace kbase::plugin_check
