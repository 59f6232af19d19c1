// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/mailbox.hpp"

#include <sys/eventfd.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace kbase::http {

Mailbox::Mailbox() : event_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (event_fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Mailbox::~Mailbox() { ::close(event_fd_); }

void Mailbox::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    posted_.push_back(std::move(work));
    if (posted_.size() > 1) return;  // the event of the first one is still pending
  }
  const std::uint64_t one = 1;
  // The write fails only if the counter is full; then the event is pending already.
  [[maybe_unused]] const auto written = ::write(event_fd_, &one, sizeof one);
}

void Mailbox::run() {
  std::uint64_t events = 0;
  [[maybe_unused]] const auto consumed = ::read(event_fd_, &events, sizeof events);
  std::vector<std::function<void()>> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(posted_);
  }
  for (const std::function<void()>& work : batch) work();
}

void Mailbox::close() {
  std::vector<std::function<void()>> dropped;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(posted_);
}

}  // namespace kbase::http
