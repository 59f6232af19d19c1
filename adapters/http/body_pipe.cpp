// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/body_pipe.hpp"

#include <array>
#include <charconv>

namespace kbase::http {

bool BodyPipe::write(std::string_view bytes) {
  bool was_empty = false;
  {
    std::unique_lock lock(mutex_);
    space_available_.wait(lock, [this] { return is_reader_closed_ || queued_.size() + in_flight_bytes_ < kCapacity; });
    if (is_reader_closed_) return false;
    was_empty = queued_.empty();
    append_frame(queued_, bytes);
  }
  if (was_empty) notify_();
  return true;
}

void BodyPipe::close(State state) {
  {
    const std::lock_guard lock(mutex_);
    state_ = state;
    if (state == State::Complete && framing_ == Framing::Chunked) queued_ += "0\r\n\r\n";
  }
  notify_();
}

BodyPipe::State BodyPipe::read(std::string& bytes) {
  bytes.clear();
  State state = State::Open;
  {
    const std::lock_guard lock(mutex_);
    bytes.swap(queued_);
    in_flight_bytes_ = bytes.size();
    if (bytes.empty()) state = state_;
  }
  space_available_.notify_one();
  return state;
}

std::string BodyPipe::frame(std::string_view bytes) const {
  std::string text;
  append_frame(text, bytes);
  return text;
}

void BodyPipe::close_reader() {
  {
    const std::lock_guard lock(mutex_);
    is_reader_closed_ = true;
    std::string().swap(queued_);
  }
  space_available_.notify_one();
}

/// Skips empty data, because a chunk of size 0 would end the body.
void BodyPipe::append_frame(std::string& to, std::string_view bytes) const {
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
