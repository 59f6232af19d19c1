// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace kbase::http {

/// Where work that may block is done: a bounded pool of the program's. Any thread.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs `work` on another thread, soon. False: there is no room for it, and it was dropped unrun. Work that was
  /// taken is run, or destroyed when the program ends.
  virtual bool try_submit(std::function<void()> work) = 0;
};

}  // namespace kbase::http
