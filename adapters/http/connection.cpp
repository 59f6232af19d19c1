// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/connection.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <utility>

#include "adapters/http/response.hpp"

namespace kbase::http {
namespace {

constexpr std::chrono::seconds kLingerTime{2};
constexpr std::chrono::seconds kOverLimitTime{1};
constexpr std::chrono::seconds kHeartbeatInterval{15};
constexpr std::size_t kMaxPendingBytes = 1024;
constexpr std::size_t kUploadPortion = 64 * 1024;  // must arrive within the time for a body

MessageLimits make_limits(const ServerOptions& options) {
  MessageLimits limits;
  limits.body_bytes = options.max_body_bytes;
  return limits;
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

/// Returns whether the socket has unread bytes.
bool has_unread_bytes(int socket) {
  char byte = 0;
  return ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

iovec make_iovec(std::string& text, std::size_t from) { return {text.data() + from, text.size() - from}; }

}  // namespace

Connection::Connection(std::uint64_t id, int socket, const NetworkAddress& address, const ServerOptions& options,
                       BodyBudget& bodies, Handler& handler, Time now)
    : id_(id),
      socket_(socket),
      peer_(address),
      options_(options),
      handler_(handler),
      parser_(make_limits(options), &handler),
      body_(bodies),
      now_(now),
      deadline_(now + options.header_timeout) {}

Connection::~Connection() {
  if (cancel_) cancel_->store(true, std::memory_order_relaxed);
  if (upload_) upload_->abort();
}

Connection::Interest Connection::interest() const noexcept {
  switch (phase_) {
    case Phase::Reading:
    case Phase::Lingering: return Interest::Read;
    case Phase::Uploading: return upload_->has_space() ? Interest::Read : Interest::Nothing;
    case Phase::Waiting:
    case Phase::Streaming:
      return pending_.size() - pending_used_ < max_pending_bytes() && !input_ended_ ? Interest::Read
                                                                                    : Interest::Nothing;
    case Phase::Sending: return Interest::Write;
    case Phase::Finished: break;
  }
  return Interest::Nothing;
}

/// Returns the maximum number of bytes buffered before their request is processed. A connection that must detect the
/// departure of its client reads past a few stray bytes, such as a line end after a body.
std::size_t Connection::max_pending_bytes() const noexcept { return needs_client_ ? kMaxPendingBytes : 1; }

void Connection::on_readable(std::span<char> scratch, Time now) {
  now_ = now;
  const ssize_t received = ::recv(socket_, scratch.data(), scratch.size(), 0);
  if (received < 0) {
    if (!would_block(errno)) finish();
    return;
  }
  if (phase_ == Phase::Lingering) {
    if (received == 0) finish();
    return;
  }
  if (received == 0) return on_input_end();
  process_input({scratch.data(), static_cast<std::size_t>(received)});
}

/// Parses bytes in place; copies only bytes that cannot be processed yet.
void Connection::process_input(std::string_view bytes) {
  if (is_reading()) process_requests(bytes);
  if (phase_ != Phase::Waiting && phase_ != Phase::Sending && phase_ != Phase::Streaming) return;
  pending_.erase(0, std::exchange(pending_used_, 0));  // cheap: few bytes are left when more are read
  pending_.append(bytes);
}

/// Processes requests until it would have to wait.
void Connection::process_requests(std::string_view& bytes) {
  while (is_reading()) {
    bytes.remove_prefix(parser_.feed(bytes));
    update_read_deadline();
    if (parser_.streams_body()) {
      pass_on_body();
      if (bytes.empty()) return;
    } else if (!body_.resize(parser_.request().body().size())) {
      send(handler_.on_refusal(*this, {503, "The server has no memory for this body now; try again later."}));
    } else if (parser_.state() == RequestParser::State::Complete) {
      start_request();
    } else if (parser_.state() == RequestParser::State::Refused) {
      send(handler_.on_refusal(*this, parser_.refusal()));
    } else {
      if (parser_.consume_expectation()) send_continue();
      return;
    }
  }
}

/// Passes on what arrived of the body. The request is handled from the end of its head on.
void Connection::pass_on_body() {
  std::string piece = parser_.take_body();  // first, because the handler gets the request
  if (!upload_) {
    start_request();
    if (phase_ != Phase::Waiting) return;
    phase_ = Phase::Uploading;
    expect_body();
  }
  if (!piece.empty()) {
    uploaded_ += piece.size();
    upload_->push(std::move(piece));
    if (!upload_->has_space())
      deadline_ = Time::max();
    else if (uploaded_ >= kUploadPortion)
      expect_body();
  }
  if (parser_.state() == RequestParser::State::Complete) {
    upload_->complete();
    phase_ = Phase::Waiting;
    deadline_ = Time::max();
  } else if (parser_.state() == RequestParser::State::Refused) {
    refuse_upload(parser_.refusal());
  }
}

/// Gives the client time for the next portion of a body that is passed on. A client that sends a byte now and then does
/// not keep its reader busy.
void Connection::expect_body() {
  deadline_ = now_ + options_.body_timeout;
  uploaded_ = 0;
}

/// Stops to receive. The reader of the upload answers, so that a request has one response and one line in the log.
void Connection::refuse_upload(const Refusal& refusal) {
  upload_->refuse(refusal);
  phase_ = Phase::Waiting;
  deadline_ = Time::max();
}

void Connection::on_upload(Time now) {
  now_ = now;
  if (phase_ != Phase::Uploading) return;
  expect_body();
  if (upload_->is_wanted() && parser_.consume_expectation()) send_continue();
}

void Connection::process_pending() {
  std::string_view bytes = std::string_view(pending_).substr(pending_used_);
  process_requests(bytes);
  pending_used_ = pending_.size() - bytes.size();
  if (pending_used_ < pending_.size()) return;
  pending_.clear();
  pending_used_ = 0;
  if (pending_.capacity() > kMaxPendingBytes) pending_.shrink_to_fit();
  if (input_ended_ && phase_ == Phase::Reading) on_input_end();
}

/// Handles the end of the input. The client may still read (RFC 9112 section 9.6), so pending requests are answered.
void Connection::on_input_end() {
  input_ended_ = true;
  if (phase_ == Phase::Uploading) return finish();
  if (needs_client_ && phase_ != Phase::Reading) return finish();
  if (phase_ != Phase::Reading) return;
  if (parser_.state() == RequestParser::State::Idle) return finish();
  send(handler_.on_refusal(*this, {400, "The connection was closed before the request was complete."}));
}

/// Sets the deadline of the part of the request that is being read.
void Connection::update_read_deadline() {
  if (parser_.state() == last_state_) return;
  last_state_ = parser_.state();
  if (is_over_limit_) return;
  if (last_state_ == RequestParser::State::Head) deadline_ = now_ + options_.header_timeout;
  if (last_state_ == RequestParser::State::Body) deadline_ = now_ + options_.body_timeout;
}

void Connection::start_request() {
  phase_ = Phase::Waiting;
  deadline_ = Time::max();
  if (std::optional<HttpResponse> response = handler_.on_request(*this, parser_.request())) send(*std::move(response));
}

void Connection::deliver(HttpResponse response, Time now) {
  now_ = now;
  if (phase_ != Phase::Waiting && phase_ != Phase::Uploading) return;
  if (phase_ == Phase::Uploading) upload_->abort();
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

void Connection::send(HttpResponse response) {
  body_.resize(0);
  response_ = std::move(response);
  sent_ = 0;
  unsent_ = true;
  phase_ = Phase::Sending;
  deadline_ = now_ + options_.send_timeout;
}

void Connection::flush() {
  unsent_ = false;
  do {
    if (!write_out()) return;
  } while (load_more());
}

/// Writes the available part of the response. Returns false if the socket buffer is full or the socket is broken.
bool Connection::write_out() {
  const std::size_t total = response_.head.size() + response_.body.size();
  while (sent_ < total) {
    const std::size_t head_sent = std::min(sent_, response_.head.size());
    std::array<iovec, 2> parts = {make_iovec(response_.head, head_sent), make_iovec(response_.body, sent_ - head_sent)};
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

/// Gets the next part of a body that is still being computed. Returns false if no part is ready, or if the body has
/// ended.
bool Connection::load_more() {
  if (!response_.stream) {
    finish_response();
    return false;
  }
  std::string().swap(response_.head);
  sent_ = 0;
  const BodyPipe::State state = (*response_.stream)->read(response_.body);
  if (!response_.body.empty()) return true;
  if (state == BodyPipe::State::Open) {
    phase_ = Phase::Streaming;
    deadline_ = now_ + kHeartbeatInterval;
    return false;
  }
  if (state == BodyPipe::State::Aborted) response_.connection = HttpResponse::Connection::Close;
  finish_response();
  return false;
}

void Connection::finish_response() {
  const bool keeps_alive = response_.connection == HttpResponse::Connection::KeepAlive;
  response_ = {};
  stream_end_ = Time::max();
  cancel_.reset();
  needs_client_ = false;
  if (!keeps_alive) return linger();
  parser_.next();
  last_state_ = RequestParser::State::Idle;
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
  if (phase_ == Phase::Reading) process_pending();
}

void Connection::on_tick(Time now) {
  now_ = now;
  if (now >= stream_end_) return finish();
  if (now < deadline_) return;
  if (phase_ == Phase::Streaming) {
    response_.body = (*response_.stream)->frame(kHeartbeat);
    return on_stream(now);
  }
  constexpr Refusal kTooLate{408, "The request did not arrive in time."};
  if (phase_ == Phase::Uploading)
    refuse_upload(kTooLate);
  else if (phase_ == Phase::Reading && parser_.state() != RequestParser::State::Idle)
    send(handler_.on_refusal(*this, kTooLate));
  else
    finish();
}

void Connection::on_drain() {
  const bool is_idle = phase_ == Phase::Reading && parser_.state() == RequestParser::State::Idle;
  if (is_idle && !has_unread_bytes(socket_)) finish();
}

}  // namespace kbase::http
