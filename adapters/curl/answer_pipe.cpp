// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/answer_pipe.hpp"

#include <utility>

namespace kbase::curl {

// ---------------------------------------------------------------------------------------------------- the loop

void AnswerPipe::put_head(Head head) {
  {
    const std::lock_guard lock(mutex_);
    head_ = std::move(head);
  }
  changed_.notify_one();
}

AnswerPipe::Room AnswerPipe::put_body(std::string_view bytes) {
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    bytes_.append(bytes);
    is_full = bytes_.size() >= kEnoughBytes;
    is_paused_ = is_paused_ || is_full;
  }
  changed_.notify_one();
  return is_full ? Room::None : Room::Left;
}

void AnswerPipe::end() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_one();
}

void AnswerPipe::fail(model::Error why) {
  {
    const std::lock_guard lock(mutex_);
    if (why.code == model::ErrorCode::Deadline || why.code == model::ErrorCode::Cancelled) drop_bytes();
    failure_ = std::move(why);
  }
  changed_.notify_one();
}

bool AnswerPipe::has_reader() const {
  const std::lock_guard lock(mutex_);
  return has_reader_;
}

bool AnswerPipe::is_cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancel_.requested();
}

bool AnswerPipe::takes_more() {
  const std::lock_guard lock(mutex_);
  return std::exchange(takes_more_, false);
}

// ---------------------------------------------------------------------------------------------------- the reader

model::Result<const Head*> AnswerPipe::head() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return head_ || failure_; });
  if (head_) return &*head_;
  return *failure_;
}

model::Result<AnswerPipe::Decision> AnswerPipe::take(std::span<char> buffer) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !bytes_.empty() || has_ended_ || failure_; });
  if (bytes_.empty()) return failure_ ? model::Result<Decision>(*failure_) : Decision();
  const std::size_t size = bytes_.copy(buffer.data(), buffer.size(), taken_bytes_);
  taken_bytes_ += size;
  if (taken_bytes_ < bytes_.size()) return Decision{size, false};
  drop_bytes();
  takes_more_ = std::exchange(is_paused_, false);
  return Decision{size, takes_more_};
}

void AnswerPipe::drop_bytes() {
  bytes_.clear();
  taken_bytes_ = 0;
}

void AnswerPipe::leave() {
  const std::lock_guard lock(mutex_);
  has_reader_ = false;
  cancel_ = {};
}

}  // namespace kbase::curl
