// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/upload_pipe.hpp"

#include <chrono>

namespace kbase::http {
namespace {

constexpr std::chrono::milliseconds kCancelPoll{100};

Error upload_ended() { return {ErrorCode::Cancelled, "The body did not arrive to its end; nothing was changed."}; }

}  // namespace

void UploadPipe::push(std::string&& piece) {
  {
    const std::lock_guard lock(mutex_);
    if (queued_.empty())
      queued_ = std::move(piece);
    else
      queued_ += piece;
  }
  arrived_.notify_one();
}

void UploadPipe::end(State state) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::Open) state_ = state;
  }
  arrived_.notify_one();
}

void UploadPipe::refuse(const Refusal& refusal) {
  {
    const std::lock_guard lock(mutex_);
    refusal_ = refusal;
  }
  abort();
}

std::optional<Refusal> UploadPipe::refusal() const {
  const std::lock_guard lock(mutex_);
  return refusal_;
}

bool UploadPipe::has_space() const {
  const std::lock_guard lock(mutex_);
  return queued_.size() < kCapacity;
}

bool UploadPipe::is_wanted() const {
  const std::lock_guard lock(mutex_);
  return is_wanted_;
}

Result<std::string> UploadPipe::read(const ports::Call& call) {
  std::unique_lock lock(mutex_);
  const bool is_first = !std::exchange(is_wanted_, true);
  if (is_first) {
    lock.unlock();
    wake_();
    lock.lock();
  }
  while (queued_.empty() && state_ == State::Open) {
    if (call.cancelled()) return upload_ended();
    if (clock_.steady() >= call.deadline)
      return Error{ErrorCode::Deadline, "The body did not arrive in time; nothing was changed."};
    arrived_.wait_for(lock, kCancelPoll);
  }
  if (state_ == State::Aborted) return upload_ended();
  const bool was_full = queued_.size() >= kCapacity;
  std::string piece = std::exchange(queued_, {});
  lock.unlock();
  if (was_full) wake_();
  return piece;
}

}  // namespace kbase::http
