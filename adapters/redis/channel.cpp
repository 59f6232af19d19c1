// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/channel.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "adapters/redis/error.hpp"

namespace kbase::redis {
namespace {

void set(int socket, int level, int option) {
  const int on = 1;
  ::setsockopt(socket, level, option, &on, sizeof on);
}

bool must_wait() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

Channel::Channel(const Endpoint& endpoint, std::shared_ptr<const Lookup> lookup, std::shared_ptr<const TlsContext> tls,
                 std::size_t first_address)
    : endpoint_(endpoint), context_(std::move(tls)), lookup_(std::move(lookup)), first_address_(first_address) {}

Channel::~Channel() {
  close();
}

void Channel::close() {
  tls_.reset();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

model::Error Channel::lost(std::string_view reason) const {
  return unreachable(endpoint_, reason);
}

model::Result<bool> Channel::connect() {
  switch (stage_) {
    case Stage::LookingUp:
      if (!lookup_->is_done()) return false;
      stage_ = Stage::Connecting;
      refusal_ = lookup_->error();
      return try_next_address();
    case Stage::Connecting:
      return finish_connecting();
    case Stage::ShakingHands: {
      const auto done = tls_->shake_hands();
      if (!done) return lost(done.error().detail);
      if (*done) stage_ = Stage::Open;
      return *done;
    }
    case Stage::Open:
      return true;
  }
  return false;
}

std::uint64_t Channel::progress() const {
  return static_cast<std::uint64_t>(stage_) + (tls_ ? tls_->received() : 0);
}

model::Result<bool> Channel::try_next_address() {
  close();
  const std::vector<SocketAddress>& addresses = lookup_->addresses();
  if (tried_ == addresses.size()) return lost(refusal_);
  const SocketAddress& address = addresses[(first_address_ + tried_++) % addresses.size()];
  socket_ = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return lost(std::strerror(errno));
  set(socket_, IPPROTO_TCP, TCP_NODELAY);
  set(socket_, SOL_SOCKET, SO_KEEPALIVE);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return start_tls();
  if (errno == EINPROGRESS) return false;
  refusal_ = std::strerror(errno);
  return try_next_address();
}

model::Result<bool> Channel::finish_connecting() {
  pollfd asked{socket_, POLLOUT, 0};
  if (::poll(&asked, 1, 0) <= 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return start_tls();
  refusal_ = std::strerror(error);
  return try_next_address();
}

model::Result<bool> Channel::start_tls() {
  stage_ = context_ != nullptr ? Stage::ShakingHands : Stage::Open;
  if (context_ == nullptr) return true;
  tls_.emplace(*context_, socket_, endpoint_.host);
  return connect();
}

model::Result<std::size_t> Channel::send(std::string_view bytes) {
  if (tls_) {
    const auto step = tls_->send(bytes);
    if (!step) return lost(step.error().detail);
    return step->bytes;
  }
  const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (must_wait()) return std::size_t{0};
  return lost(std::strerror(errno));
}

model::Result<std::size_t> Channel::receive(std::span<char> room) {
  if (tls_) {
    const auto step = tls_->receive(room);
    if (!step) return lost(step.error().detail);
    wants_write_ = step->wants_write;
    return step->bytes;
  }
  const ssize_t received = ::recv(socket_, room.data(), room.size(), 0);
  if (received > 0) return static_cast<std::size_t>(received);
  if (received == 0) return lost("the server closed the connection");
  if (must_wait()) return std::size_t{0};
  return lost(std::strerror(errno));
}

pollfd Channel::awaited(bool has_more) const {
  switch (stage_) {
    case Stage::LookingUp:
      return {lookup_->awaited(), POLLIN, 0};
    case Stage::Connecting:
      return {socket_, POLLOUT, 0};
    case Stage::ShakingHands:
      break;  // wait for the server; if it is our turn, the next poll comes soon
    case Stage::Open:
      if (has_more || wants_write_) return {socket_, POLLIN | POLLOUT, 0};
      break;
  }
  return {socket_, POLLIN, 0};
}

}  // namespace kbase::redis
