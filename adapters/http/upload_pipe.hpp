// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "adapters/http/request_parser.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::http {

/// Pipe for a request body that is processed while it arrives, from the reactor that receives it to the thread that
/// processes it. The reactor stops to receive while kCapacity bytes or more are queued, so that at most kCapacity bytes
/// and two pieces are in memory.
class UploadPipe {
 public:
  static constexpr std::size_t kCapacity = 256 * 1024;

  /// `wake` is called on the reader's thread at its first read, and when there is space again. `clock` must outlive the
  /// object.
  UploadPipe(const ports::Clock& clock, std::function<void()> wake) : clock_(clock), wake_(std::move(wake)) {}

  // Functions of the reactor's thread; none of them blocks.

  void push(std::string&& piece);
  /// The body is complete.
  void complete() { end(State::Complete); }
  /// The client is gone.
  void abort() { end(State::Aborted); }
  /// The rest of the body is not received. The reader must answer the request with `refusal`.
  void refuse(const Refusal& refusal);
  bool has_space() const;
  /// Whether the reader has begun to read, so that the client may send the body.
  bool is_wanted() const;

  // Functions of the reader's thread.

  /// Waits for the next piece; empty at the end of the body. Cancelled: the rest of the body is not received, or the
  /// call was cancelled. Deadline: that of the call has passed.
  Result<std::string> read(const ports::Call& call);
  /// Why the rest of the body is not received; nullopt: it is, or the client is gone.
  std::optional<Refusal> refusal() const;

 private:
  enum class State { Open, Complete, Aborted };

  void end(State state);

  const ports::Clock& clock_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::string queued_;
  State state_ = State::Open;
  std::optional<Refusal> refusal_;
  bool is_wanted_ = false;
};

}  // namespace kbase::http
