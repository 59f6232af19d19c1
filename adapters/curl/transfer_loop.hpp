// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::curl {

class SocketPoller;
class Transfer;

struct LoopOptions {
  /// Maximum number of idle connections kept for reuse, for all services together. Each uses a file descriptor, and
  /// about 50 KiB of memory with TLS.
  std::size_t max_idle_connections = 32;
};

/// The thread that runs all transfers of a process in one libcurl multi handle, which pools connections by origin. Must
/// outlive the clients that share it and their exchanges.
class TransferLoop {
 public:
  /// Unavailable: no file descriptor is available. NoMemory.
  static Result<std::unique_ptr<TransferLoop>> start(const LoopOptions& options = {});

  /// Stops the thread and waits for it.
  ~TransferLoop();
  TransferLoop(const TransferLoop&) = delete;
  TransferLoop& operator=(const TransferLoop&) = delete;

  /// Adds a new transfer, or notifies the loop that its reader did something. Does not wait. Thread-safe.
  void notify(std::shared_ptr<Transfer> transfer);

 private:
  struct End {
    void operator()(void* multi) const noexcept;
  };

  /// A transfer with a copy of its deadline, so that a scan does not touch the transfers. If the service's clock is not
  /// the system's, the deadline is only a hint when to poll.
  struct Live {
    std::shared_ptr<Transfer> transfer;
    std::chrono::steady_clock::time_point deadline;
  };

  TransferLoop();
  void run();
  bool process_inbox();
  void handle_completed();
  void poll();
  void poll_transfer(Transfer& transfer);
  void note_if_ended(Transfer& transfer);
  void remove_ended();

  const std::unique_ptr<SocketPoller> poller_;
  std::unique_ptr<void, End> multi_;  // libcurl defines CURLM as void

  std::mutex mutex_;
  std::vector<std::shared_ptr<Transfer>> inbox_;
  bool is_stopping_ = false;

  // Used only on the loop's thread.
  std::vector<Live> live_;
  std::chrono::steady_clock::time_point next_poll_{};
  std::vector<Transfer*> ended_;  // still in `live_` too

  std::thread thread_;
};

/// Waits for the sockets of a libcurl multi handle with epoll(7). libcurl names the sockets and the timeout and gets
/// the ready sockets, so that the cost of a step does not depend on the number of transfers.
class SocketPoller {
 public:
  using Time = std::chrono::steady_clock::time_point;

  SocketPoller() = default;
  ~SocketPoller();
  SocketPoller(const SocketPoller&) = delete;
  SocketPoller& operator=(const SocketPoller&) = delete;

  /// Unavailable: no file descriptor is available.
  Status open(CURLM* multi);

  /// Waits until a socket is ready, libcurl's timer expires, `until` passes or wake() is called. Then lets libcurl
  /// process the events.
  void step(CURLM* multi, std::optional<Time> until);

  /// Ends the wait of step(). Thread-safe.
  void wake() const;

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known) noexcept;
  static int on_timer(CURLM* multi, long milliseconds, void* self) noexcept;

  int wait_ms(std::optional<Time> until) const;

  int epoll_ = -1;
  int wake_fd_ = -1;
  std::optional<Time> due_;  // expiry of libcurl's timer
};

}  // namespace kbase::curl
