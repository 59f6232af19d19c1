// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/transfer_loop.hpp"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "adapters/base/waiting.hpp"
#include "adapters/curl/transfer.hpp"
#include "domain/base/result.hpp"

namespace kbase::curl {
namespace {

/// How often transfers check the clock and the cancellation: the maximum delay of a timeout, for any number of
/// transfers.

/// With many transfers, each poll checks one of up to 8 groups, so that a transfer is polled at least every 24 ms; this
/// is the maximum delay for everything except deadlines. Checking one transfer costs 2 us because its memory is not in
/// the cache; 500 at once would block other threads of the core for 1 ms.
constexpr std::chrono::milliseconds kGroupInterval{3};
constexpr std::size_t kMinGroupSize = 20;
constexpr std::size_t kMaxGroups = 8;

/// Blocks all signals for threads that are started during its lifetime: the loop's thread and the threads that libcurl
/// starts for name look-ups. So the process's signal handlers run on other threads, and a write to a closed connection
/// raises no SIGPIPE.
class SignalBlocker {
 public:
  SignalBlocker() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalBlocker() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlocker(const SignalBlocker&) = delete;
  SignalBlocker& operator=(const SignalBlocker&) = delete;

 private:
  sigset_t before_;
};

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

void TransferLoop::End::operator()(void* multi) const noexcept { curl_multi_cleanup(multi); }

TransferLoop::TransferLoop() : poller_(std::make_unique<SocketPoller>()) {}

Result<std::unique_ptr<TransferLoop>> TransferLoop::start(const LoopOptions& options) {
  const Error no_memory{ErrorCode::NoMemory, "Not enough memory.", "libcurl failed to start"};
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return no_memory;  // reference-counted and thread-safe
  std::unique_ptr<TransferLoop> loop(new TransferLoop);
  loop->multi_.reset(curl_multi_init());
  if (loop->multi_ == nullptr) return no_memory;
  KBASE_TRY(loop->poller_->open(loop->multi_.get()));
  curl_multi_setopt(loop->multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(options.max_idle_connections));
  const SignalBlocker blocker;
  loop->thread_ = std::thread([self = loop.get()] { self->run(); });
  return loop;
}

TransferLoop::~TransferLoop() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    poller_->wake();
    thread_.join();
  }
  multi_.reset();
  curl_global_cleanup();
}

void TransferLoop::notify(std::shared_ptr<Transfer> transfer) {
  {
    const std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(transfer));
  }
  poller_->wake();
}

void TransferLoop::run() {
  while (process_inbox()) {
    poller_->step(multi_.get(), live_.empty() ? std::nullopt : std::optional(next_poll_));
    handle_completed();
    poll();
    remove_ended();
  }
  for (const Live& live : live_) live.transfer->shut_down();
}

/// Returns false when the loop must stop.
bool TransferLoop::process_inbox() {
  std::vector<std::shared_ptr<Transfer>> inbox;
  bool stops = false;
  {
    const std::lock_guard lock(mutex_);
    inbox.swap(inbox_);
    stops = is_stopping_;
  }
  for (std::shared_ptr<Transfer>& transfer : inbox) {
    if (!transfer->is_new()) {
      poll_transfer(*transfer);
      continue;
    }
    live_.push_back({transfer, transfer->deadline()});
    transfer->accept(multi_.get());
    note_if_ended(*transfer);
  }
  remove_ended();
  return !stops;
}

void TransferLoop::handle_completed() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;  // read first: the message is freed with its handle
    Transfer* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    transfer->on_done(code);
    note_if_ended(*transfer);
  }
}

/// Polls the first group and moves it to the end. Of the other groups, polls the transfers whose deadline passed.
void TransferLoop::poll() {
  const auto now = waiting::now();
  if (live_.empty() || now < next_poll_) return;
  const std::size_t groups = std::clamp<std::size_t>(live_.size() / kMinGroupSize, 1, kMaxGroups);
  const auto rest = live_.begin() + static_cast<std::ptrdiff_t>((live_.size() + groups - 1) / groups);
  std::for_each(live_.begin(), rest, [this](const Live& live) { poll_transfer(*live.transfer); });
  std::for_each(rest, live_.end(), [this, now](const Live& live) {
    if (live.deadline <= now) poll_transfer(*live.transfer);
  });
  std::rotate(live_.begin(), rest, live_.end());
  next_poll_ = now + std::max(kGroupInterval, waiting::kPollInterval / static_cast<int>(groups));
}

void TransferLoop::poll_transfer(Transfer& transfer) {
  if (transfer.has_ended()) return;
  transfer.poll();
  note_if_ended(transfer);
}

/// Call it only for a transfer that had not ended before.
void TransferLoop::note_if_ended(Transfer& transfer) {
  if (transfer.has_ended()) ended_.push_back(&transfer);
}

/// A transfer that gets a free slot may end at once. Then its slot is passed on too.
void TransferLoop::remove_ended() {
  if (ended_.empty()) return;
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    Transfer* const next = ended_[i]->release_slot();
    if (next == nullptr) continue;
    next->on_slot();
    note_if_ended(*next);
  }
  std::sort(ended_.begin(), ended_.end());
  std::erase_if(live_, [this](const Live& live) {
    return std::binary_search(ended_.begin(), ended_.end(), live.transfer.get());
  });
  ended_.clear();
}

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

int SocketPoller::on_timer(CURLM*, long timeout_ms, void* self) noexcept {
  auto& due = static_cast<SocketPoller*>(self)->due_;
  if (timeout_ms < 0)
    due.reset();
  else
    due = waiting::now() + std::chrono::milliseconds(timeout_ms);
  return 0;
}

}  // namespace kbase::curl
