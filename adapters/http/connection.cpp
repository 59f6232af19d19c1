// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/connection.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <utility>

#include "adapters/http/event_stream.hpp"

namespace kbase::http {
namespace {

constexpr std::chrono::seconds kLingerTime{2};
constexpr std::chrono::seconds kOverLimitTime{1};
constexpr std::chrono::seconds kHeartbeatPause{15};
constexpr std::size_t kKeptPendingBytes = 1024;

MessageLimits limits_of(const ServerOptions& options) {
  MessageLimits limits;
  limits.body_bytes = options.max_body_bytes;
  return limits;
}

bool would_block(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/// Returns whether the socket has unread bytes.
bool has_requests(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

iovec part(std::string& text, std::size_t from) {
  return {text.data() + from, text.size() - from};
}

}  // namespace

Connection::Connection(std::uint64_t id, int socket, const NetworkAddress& address, const ServerOptions& options,
                       BodyBudget& bodies, Host& host, Time now)
    : id_(id),
      socket_(socket),
      peer_(address),
      options_(options),
      host_(host),
      parser_(limits_of(options)),
      body_(bodies),
      now_(now),
      deadline_(now + options.header_timeout) {}

Connection::~Connection() {
  if (cancel_) cancel_->store(true, std::memory_order_relaxed);
}

Connection::Interest Connection::interest() const noexcept {
  switch (phase_) {
    case Phase::Reading:
    case Phase::Lingering:
      return Interest::Read;
    case Phase::Waiting:
    case Phase::Streaming:
      return pending_.size() - pending_used_ < most_pending() && !input_ended_ ? Interest::Read : Interest::Nothing;
    case Phase::Sending:
      return Interest::Write;
    case Phase::Finished:
      break;
  }
  return Interest::Nothing;
}

/// Returns the maximum number of bytes buffered before their request is processed. A connection that must detect the
/// departure of its client reads past a few stray bytes, such as a line end after a body.
std::size_t Connection::most_pending() const noexcept {
  return needs_client_ ? kKeptPendingBytes : 1;
}

void Connection::on_readable(std::span<char> scratch, Time now) {
  now_ = now;
  const ssize_t got = ::recv(socket_, scratch.data(), scratch.size(), 0);
  if (got < 0) {
    if (!would_block(errno)) finish();
    return;
  }
  if (phase_ == Phase::Lingering) {
    if (got == 0) finish();
    return;
  }
  if (got == 0) return end_of_input();
  take({scratch.data(), static_cast<std::size_t>(got)});
}

/// Parses bytes in place; copies only bytes that cannot be processed yet.
void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::Reading) advance(bytes);
  if (phase_ != Phase::Waiting && phase_ != Phase::Sending && phase_ != Phase::Streaming) return;
  pending_.erase(0, std::exchange(pending_used_, 0));  // cheap: few bytes are left when more are read
  pending_.append(bytes);
}

/// Processes requests until it would have to wait.
void Connection::advance(std::string_view& bytes) {
  while (phase_ == Phase::Reading) {
    bytes.remove_prefix(parser_.feed(bytes));
    watch_request();
    if (!body_.resize(parser_.request().body().size())) {
      send(host_.on_refusal(*this, {503, "The server has no room for this body now."}));
    } else if (parser_.state() == RequestParser::State::Complete) {
      begin_request();
    } else if (parser_.state() == RequestParser::State::Refused) {
      send(host_.on_refusal(*this, parser_.refusal()));
    } else {
      if (parser_.take_expectation()) send_continue();
      return;
    }
  }
}

void Connection::advance_pending() {
  std::string_view bytes = std::string_view(pending_).substr(pending_used_);
  advance(bytes);
  pending_used_ = pending_.size() - bytes.size();
  if (pending_used_ < pending_.size()) return;
  pending_.clear();
  pending_used_ = 0;
  if (pending_.capacity() > kKeptPendingBytes) pending_.shrink_to_fit();
  if (input_ended_ && phase_ == Phase::Reading) end_of_input();
}

/// Handles the end of the input. The client may still read (RFC 9112 section 9.6), so pending requests are answered.
void Connection::end_of_input() {
  input_ended_ = true;
  if (needs_client_ && phase_ != Phase::Reading) return finish();
  if (phase_ != Phase::Reading) return;
  if (parser_.state() == RequestParser::State::Idle) return finish();
  send(host_.on_refusal(*this, {400, "The request ends before it is complete."}));
}

/// Sets the deadline of the part of the request that is being read.
void Connection::watch_request() {
  if (parser_.state() == seen_state_) return;
  seen_state_ = parser_.state();
  if (is_over_limit_) return;
  if (seen_state_ == RequestParser::State::Head) deadline_ = now_ + options_.header_timeout;
  if (seen_state_ == RequestParser::State::Body) deadline_ = now_ + options_.body_timeout;
}

void Connection::begin_request() {
  phase_ = Phase::Waiting;
  deadline_ = Time::max();
  if (std::optional<Response> response = host_.on_request(*this, parser_.request())) send(*std::move(response));
}

void Connection::deliver(Response response, Time now) {
  now_ = now;
  if (phase_ != Phase::Waiting) return;
  // The request handler ends a stream in time with an error event; send_timeout is added so that the client can read
  // it.
  if (response.stream)
    stream_end_ = now_ + options_.stream_timeout + options_.send_timeout;
  else
    cancel_.reset();
  send(std::move(response));
}

void Connection::on_stream(Time now) {
  now_ = now;
  if (phase_ != Phase::Streaming) return;  // a connection that is sending checks for more data afterwards
  phase_ = Phase::Sending;
  unsent_ = true;
  deadline_ = now_ + options_.send_timeout;
}

void Connection::make_over_limit() noexcept {
  is_over_limit_ = true;
  deadline_ = now_ + kOverLimitTime;
}

const CancelFlag& Connection::cancel_flag() {
  if (!cancel_) cancel_ = std::make_shared<std::atomic<bool>>(false);
  return cancel_;
}

void Connection::send_continue() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  // Nothing else is being sent, so a socket without space for 25 bytes is broken.
  if (::send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(kContinue.size()))
    finish();
}

void Connection::send(Response response) {
  body_.resize(0);
  answer_ = std::move(response);
  sent_ = 0;
  unsent_ = true;
  phase_ = Phase::Sending;
  deadline_ = now_ + options_.send_timeout;
}

void Connection::flush() {
  unsent_ = false;
  do {
    if (!write_out()) return;
  } while (take_more());
}

/// Writes the available part of the response. Returns false if the socket buffer is full or the socket is broken.
bool Connection::write_out() {
  const std::size_t total = answer_.head.size() + answer_.body.size();
  while (sent_ < total) {
    const std::size_t head_sent = std::min(sent_, answer_.head.size());
    std::array<iovec, 2> parts = {part(answer_.head, head_sent), part(answer_.body, sent_ - head_sent)};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t written = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (written < 0) {
      if (!would_block(errno)) finish();
      return false;
    }
    sent_ += static_cast<std::size_t>(written);
    deadline_ = now_ + options_.send_timeout;
  }
  return true;
}

/// Gets the next part of a body that is still being computed. Returns false if there is none now, or if the body has
/// ended.
bool Connection::take_more() {
  if (!answer_.stream) {
    after_answer();
    return false;
  }
  std::string().swap(answer_.head);
  sent_ = 0;
  const BodyPipe::State state = (*answer_.stream)->take(answer_.body);
  if (!answer_.body.empty()) return true;
  if (state == BodyPipe::State::Open) {
    phase_ = Phase::Streaming;
    deadline_ = now_ + kHeartbeatPause;
    return false;
  }
  if (state == BodyPipe::State::Broken) answer_.connection = Response::Connection::Close;
  after_answer();
  return false;
}

void Connection::after_answer() {
  const bool goes_on = answer_.connection == Response::Connection::KeepAlive;
  answer_ = {};
  stream_end_ = Time::max();
  cancel_.reset();
  needs_client_ = false;
  if (!goes_on) return linger();
  parser_.next();
  seen_state_ = RequestParser::State::Idle;
  phase_ = Phase::Reading;
  deadline_ = now_ + options_.idle_timeout;
}

void Connection::linger() {
  if (input_ended_ || ::shutdown(socket_, SHUT_WR) != 0) return finish();
  phase_ = Phase::Lingering;
  deadline_ = now_ + kLingerTime;
}

void Connection::on_writable(Time now) {
  now_ = now;
  if (phase_ != Phase::Sending) return;
  flush();
  if (phase_ == Phase::Reading) advance_pending();
}

void Connection::on_tick(Time now) {
  now_ = now;
  if (now >= stream_end_) return finish();
  if (now < deadline_) return;
  if (phase_ == Phase::Streaming) {
    answer_.body = (*answer_.stream)->framed(kHeartbeat);
    return on_stream(now);
  }
  const bool has_begun = parser_.state() != RequestParser::State::Idle;
  if (phase_ == Phase::Reading && has_begun)
    send(host_.on_refusal(*this, {408, "The request did not arrive in time."}));
  else
    finish();
}

void Connection::on_drain() {
  const bool is_idle = phase_ == Phase::Reading && parser_.state() == RequestParser::State::Idle;
  if (is_idle && !has_requests(socket_)) finish();
}

}  // namespace kbase::http
