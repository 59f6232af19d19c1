// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::curl {

class SocketWatch;
class Transfer;

struct LoopOptions {
  /// Connections that are kept open for the next request, of all services together. Each costs a descriptor, and some
  /// 50 KiB where it is one of TLS.
  std::size_t max_idle_connections = 32;
};

/// The thread on which all transfers of a process run, in one multi handle of libcurl's: their connections are kept by
/// origin and used again. It outlives the clients that share it and their exchanges.
class TransferLoop {
 public:
  /// Unavailable: the system gives no descriptors; NoMemory.
  static model::Result<std::unique_ptr<TransferLoop>> start(const LoopOptions& options = {});

  /// Waits for the thread.
  ~TransferLoop();
  TransferLoop(const TransferLoop&) = delete;
  TransferLoop& operator=(const TransferLoop&) = delete;

  /// The transfer is new, or its reader did something. Any thread; doesn't wait.
  void attend(std::shared_ptr<Transfer> transfer);

 private:
  struct End {
    void operator()(void* multi) const noexcept;
  };

  /// A transfer with its deadline beside it, so that going over all of them touches none. Where the service's clock is
  /// not the system's, it is no more than a hint when to look.
  struct Live {
    std::shared_ptr<Transfer> transfer;
    std::chrono::steady_clock::time_point deadline;
  };

  TransferLoop();
  void run();
  bool take_news();
  void hear_of_the_done();
  void look_around();
  void look_at(Transfer& transfer);
  void note_end_of(Transfer& transfer);
  void clear_ended();

  const std::unique_ptr<SocketWatch> watch_;
  std::unique_ptr<void, End> multi_;  // libcurl's CURLM is void

  std::mutex mutex_;
  std::vector<std::shared_ptr<Transfer>> news_;
  bool stops_ = false;

  // The thread's own.
  std::vector<Live> live_;
  std::chrono::steady_clock::time_point next_look_{};
  std::vector<Transfer*> ended_;  // and still in `live_`

  std::thread thread_;
};

}  // namespace kbase::curl
