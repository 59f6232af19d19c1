// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace kbase::http {

/// Queue of tasks for a reactor thread. Other threads hold shared ownership, so it can outlive the reactor; tasks
/// posted after close() are dropped. post() is thread-safe; only the reactor thread calls run().
class Mailbox {
 public:
  /// Throws std::system_error if eventfd(2) fails.
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Returns a descriptor that becomes readable when a task is posted.
  int descriptor() const noexcept { return event_fd_; }

  /// Queues `work` for the reactor thread. Tasks run in the order in which they were posted.
  void post(std::function<void()> work);

  /// Runs all queued tasks. Reads the event before it takes the tasks, so that no task remains without an event.
  void run();

  /// Drops all tasks; none runs afterwards.
  void close();

 private:
  int event_fd_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  bool closed_ = false;
};

}  // namespace kbase::http
