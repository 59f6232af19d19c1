// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace kbase::http {

/// Where work that may block is done: a bounded pool of the program's. Any thread.
class Executor {
 public:
  enum class Turn {
    Came,
    TooLate,  ///< it waited so long that it is not to be done; whoever wants its answer is to be told at once
  };
  using Work = std::function<void(Turn)>;

  virtual ~Executor() = default;

  /// Calls `work` on another thread, soon, or tells it on any that it is too late. False: there is no room for it, and
  /// it was dropped uncalled. Work that was taken is called once, or destroyed when the program ends.
  virtual bool try_submit(Work work) = 0;
};

}  // namespace kbase::http
