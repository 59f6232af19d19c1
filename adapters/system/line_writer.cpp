// SPDX-License-Identifier: Apache-2.0
#include "adapters/system/line_writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <utility>

namespace kbase::system {
namespace {

constexpr std::chrono::milliseconds kGatherTime{5};
constexpr std::chrono::milliseconds kTimeout{100};  // poll(2) timeout; stopping_ is checked after each one
constexpr int kLastLooks = 10;

/// Returns the complete lines at the start of `lines` that fit into one atomic write to a pipe (POSIX write(),
/// PIPE_BUF), or the first line alone if it is longer.
std::string_view piece_of(std::string_view lines) {
  if (lines.size() <= PIPE_BUF) return lines;
  std::size_t end = lines.rfind('\n', PIPE_BUF - 1);
  if (end == std::string_view::npos) end = std::min(lines.find('\n'), lines.size() - 1);
  return lines.substr(0, end + 1);
}

}  // namespace

LineWriter::LineWriter(int descriptor, std::size_t capacity)
    : descriptor_(descriptor), capacity_(capacity), thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::uint64_t LineWriter::write(std::string_view line) {
  std::uint64_t dropped = 0;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() > capacity_) {
      ++dropped_;
      return 0;
    }
    dropped = std::exchange(dropped_, 0);
    is_first = waiting_.empty();
    waiting_ += line;
  }
  if (is_first) wake_.notify_one();
  return dropped;
}

void LineWriter::run() {
  std::string lines;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    wake_.wait_for(lock, kGatherTime, [this] { return stopping_; });
    lines.clear();
    lines.swap(waiting_);
    lock.unlock();
    write_out(lines);
    lock.lock();
  }
}

void LineWriter::write_out(std::string_view lines) {
  while (!lines.empty() && is_writable()) {
    const ssize_t written = ::write(descriptor_, lines.data(), piece_of(lines).size());
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    lines.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

/// Waits until the descriptor is writable. Returns false if it does not become writable within kLastLooks timeouts
/// after the stop. Afterwards a write of at most PIPE_BUF bytes to a pipe does not block.
bool LineWriter::is_writable() {
  for (int looks = 0; looks < kLastLooks;) {
    pollfd wanted{descriptor_, POLLOUT, 0};
    if (::poll(&wanted, 1, static_cast<int>(kTimeout.count())) > 0) return true;
    const std::lock_guard lock(mutex_);
    if (stopping_) ++looks;
  }
  return false;
}

}  // namespace kbase::system
