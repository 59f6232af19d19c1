// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/socket_poller.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "adapters/base/waiting.hpp"

namespace kbase::curl {
namespace {

constexpr std::size_t kEventsAtOnce = 64;

std::uint32_t to_epoll_events(int what) {
  const std::uint32_t in = (what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0U;
  const std::uint32_t out = (what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0U;
  return in | out;
}

int to_ready_mask(std::uint32_t events) {
  int ready = 0;
  if ((events & EPOLLIN) != 0) ready |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) ready |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) ready |= CURL_CSELECT_ERR;
  return ready;
}

}  // namespace

SocketPoller::~SocketPoller() {
  if (wake_fd_ >= 0) ::close(wake_fd_);
  if (epoll_ >= 0) ::close(epoll_);
}

Status SocketPoller::open(CURLM* multi) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_fd_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_fd_;
  if (epoll_ < 0 || wake_fd_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_fd_, &event) != 0)
    return Error{ErrorCode::Unavailable, "The HTTP client cannot start.",
                 "epoll: " + std::generic_category().message(errno)};
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  return {};
}

void SocketPoller::step(CURLM* multi, std::optional<Time> until) {
  std::array<epoll_event, kEventsAtOnce> events;
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms(until));
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    std::uint64_t wakeups = 0;
    if (event.data.fd == wake_fd_)
      (void)!::read(wake_fd_, &wakeups, sizeof wakeups);
    else
      curl_multi_socket_action(multi, event.data.fd, to_ready_mask(event.events), &running);
  }
  if (!due_ || *due_ > waiting::now()) return;
  due_.reset();
  curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

void SocketPoller::wake() const {
  const std::uint64_t one = 1;
  (void)!::write(wake_fd_, &one, sizeof one);
}

/// Returns the wait in milliseconds, rounded up to avoid waking early; -1: no limit.
int SocketPoller::wait_ms(std::optional<Time> until) const {
  if (!until || (due_ && *due_ < *until)) until = due_;
  if (!until) return -1;
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*until - waiting::now());
  return static_cast<int>(std::clamp<std::int64_t>(rest.count(), 0, 60'000));
}

int SocketPoller::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) noexcept {
  const int epoll = static_cast<const SocketPoller*>(self)->epoll_;
  epoll_event event{};
  event.events = to_epoll_events(what);
  event.data.fd = socket;
  if (what == CURL_POLL_REMOVE)
    ::epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nullptr);
  else if (::epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0)
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
  return 0;
}

int SocketPoller::on_timer(CURLM*, long milliseconds, void* self) noexcept {
  auto& due = static_cast<SocketPoller*>(self)->due_;
  if (milliseconds < 0)
    due.reset();
  else
    due = waiting::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

}  // namespace kbase::curl
