// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/body_pipe.hpp"

#include <array>
#include <charconv>

namespace kbase::http {

bool BodyPipe::write(std::string_view bytes) {
  bool was_empty = false;
  {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return has_left_ || waiting_.size() + taken_bytes_ < kRoom; });
    if (has_left_) return false;
    was_empty = waiting_.empty();
    append_framed(waiting_, bytes);
  }
  if (was_empty) notify_();
  return true;
}

void BodyPipe::close(State state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
    if (state == State::Whole && framing_ == Framing::Chunked) waiting_ += "0\r\n\r\n";
  }
  notify_();
}

BodyPipe::State BodyPipe::take(std::string& bytes) {
  bytes.clear();
  State state = State::Open;
  {
    const std::lock_guard lock(mutex_);
    bytes.swap(waiting_);
    taken_bytes_ = bytes.size();
    if (bytes.empty()) state = state_;
  }
  room_.notify_one();
  return state;
}

std::string BodyPipe::framed(std::string_view bytes) const {
  std::string text;
  append_framed(text, bytes);
  return text;
}

void BodyPipe::leave() {
  {
    const std::lock_guard lock(mutex_);
    has_left_ = true;
    std::string().swap(waiting_);
  }
  room_.notify_one();
}

/// Skips empty data, because a chunk of size 0 would end the body.
void BodyPipe::append_framed(std::string& to, std::string_view bytes) const {
  if (bytes.empty()) return;
  if (framing_ == Framing::UntilClose) {
    to += bytes;
    return;
  }
  std::array<char, 2 * sizeof(std::size_t)> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
  to.append(digits.data(), end).append("\r\n").append(bytes).append("\r\n");
}

}  // namespace kbase::http
