// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/socket_watch.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace kbase::curl {
namespace {

constexpr std::size_t kEventsAtOnce = 64;

std::uint32_t events_of(int what) {
  const std::uint32_t in = (what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0U;
  const std::uint32_t out = (what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0U;
  return in | out;
}

int ready_of(std::uint32_t events) {
  int ready = 0;
  if ((events & EPOLLIN) != 0) ready |= CURL_CSELECT_IN;
  if ((events & EPOLLOUT) != 0) ready |= CURL_CSELECT_OUT;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) ready |= CURL_CSELECT_ERR;
  return ready;
}

}  // namespace

SocketWatch::~SocketWatch() {
  if (bell_ >= 0) ::close(bell_);
  if (epoll_ >= 0) ::close(epoll_);
}

model::Status SocketWatch::open(CURLM* multi) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  bell_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = bell_;
  if (epoll_ < 0 || bell_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, bell_, &event) != 0)
    return model::Error{model::ErrorCode::Unavailable,
                        "The HTTP client can't start.",
                        "epoll: " + std::generic_category().message(errno),
                        {},
                        {}};
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  return {};
}

void SocketWatch::step(CURLM* multi, std::optional<Time> until) {
  std::array<epoll_event, kEventsAtOnce> events;
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms(until));
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    std::uint64_t rings = 0;
    if (event.data.fd == bell_)
      (void)!::read(bell_, &rings, sizeof rings);
    else
      curl_multi_socket_action(multi, event.data.fd, ready_of(event.events), &running);
  }
  if (!due_ || *due_ > std::chrono::steady_clock::now()) return;
  due_.reset();
  curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

void SocketWatch::wake() const {
  const std::uint64_t ring = 1;
  (void)!::write(bell_, &ring, sizeof ring);
}

/// Returns the wait in milliseconds, rounded up to avoid waking early; -1: no limit.
int SocketWatch::wait_ms(std::optional<Time> until) const {
  if (!until || (due_ && *due_ < *until)) until = due_;
  if (!until) return -1;
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(rest.count(), 0, 60'000));
}

int SocketWatch::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) noexcept {
  const int epoll = static_cast<const SocketWatch*>(self)->epoll_;
  epoll_event event{};
  event.events = events_of(what);
  event.data.fd = socket;
  if (what == CURL_POLL_REMOVE)
    ::epoll_ctl(epoll, EPOLL_CTL_DEL, socket, nullptr);
  else if (::epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &event) != 0)
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
  return 0;
}

int SocketWatch::on_timer(CURLM*, long milliseconds, void* self) noexcept {
  auto& due = static_cast<SocketWatch*>(self)->due_;
  if (milliseconds < 0)
    due.reset();
  else
    due = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

}  // namespace kbase::curl
