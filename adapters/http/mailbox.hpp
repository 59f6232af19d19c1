// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace kbase::http {

/// Work that other threads hand to a reactor thread. Shared with them, so that it outlives a reactor that is gone: what
/// is posted then is dropped. Any thread may post; one thread runs.
class Mailbox {
 public:
  /// Throws std::system_error where the system has no event descriptor left.
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Becomes readable when something was posted.
  int descriptor() const noexcept { return event_fd_; }

  /// Runs `work` on the reactor's thread, soon, in the order posted.
  void post(std::function<void()> work);

  /// Runs everything posted. The event is taken before the work is, so none is left behind without one.
  void run();

  /// Nothing runs any more.
  void close();

 private:
  int event_fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  bool closed_ = false;
};

}  // namespace kbase::http
