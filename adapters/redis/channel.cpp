// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/channel.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

namespace kbase::redis {
namespace {

void enable_option(int socket, int level, int option) {
  const int on = 1;
  ::setsockopt(socket, level, option, &on, sizeof on);
}

bool would_block() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

Lookup::Lookup(const Endpoint& endpoint) : endpoint_(endpoint) {
  resolve(AI_NUMERICHOST);
  is_done_ = !addresses_.empty();
  if (is_done_) return;
  event_descriptor_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  try {
    thread_ = std::thread([this] { resolve_in_thread(); });
  } catch (const std::system_error&) {
    if (event_descriptor_ >= 0) ::close(event_descriptor_);
    throw;
  }
}

void Lookup::resolve_in_thread() noexcept {
  try {
    resolve(0);
  } catch (const std::bad_alloc&) {
    addresses_.clear();
    error_ = "out of memory";  // short string, needs no allocation
  }
  is_done_ = true;
  [[maybe_unused]] const int written = ::eventfd_write(event_descriptor_, 1);  // if it fails, the next poll notices
}

Lookup::~Lookup() {
  if (thread_.joinable()) thread_.join();
  if (event_descriptor_ >= 0) ::close(event_descriptor_);
}

void Lookup::resolve(int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(endpoint_.host.c_str(), std::to_string(endpoint_.port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(code == 0 ? found : nullptr, [](addrinfo* list) {
    if (list != nullptr) ::freeaddrinfo(list);
  });
  error_ = code == 0 ? std::string() : "cannot resolve the host name: " + std::string(::gai_strerror(code));
  for (const addrinfo* entry = owner.get(); entry != nullptr; entry = entry->ai_next) {
    SocketAddress& address = addresses_.emplace_back();
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
  }
}

Channel::Channel(const Endpoint& endpoint, std::shared_ptr<const Lookup> lookup, std::shared_ptr<const TlsContext> tls,
                 std::size_t first_address)
    : endpoint_(endpoint), context_(std::move(tls)), lookup_(std::move(lookup)), first_address_(first_address) {}

Channel::~Channel() { close(); }

void Channel::close() {
  tls_.reset();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Error Channel::connection_error(std::string_view reason) const { return unreachable_error(endpoint_, reason); }

Result<bool> Channel::connect() {
  switch (stage_) {
    case Stage::Resolving:
      if (!lookup_->is_done()) return false;
      stage_ = Stage::Connecting;
      last_error_ = lookup_->error();
      return try_next_address();
    case Stage::Connecting: return finish_connecting();
    case Stage::Handshake: {
      const auto done = tls_->handshake();
      if (!done) return connection_error(done.error().detail);
      if (*done) stage_ = Stage::Open;
      return *done;
    }
    case Stage::Open: return true;
  }
  return false;
}

std::uint64_t Channel::progress() const { return static_cast<std::uint64_t>(stage_) + (tls_ ? tls_->received() : 0); }

Result<bool> Channel::try_next_address() {
  close();
  const std::vector<SocketAddress>& addresses = lookup_->addresses();
  if (tried_addresses_ == addresses.size()) return connection_error(last_error_);
  const SocketAddress& address = addresses[(first_address_ + tried_addresses_++) % addresses.size()];
  socket_ = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return connection_error(std::strerror(errno));
  enable_option(socket_, IPPROTO_TCP, TCP_NODELAY);
  enable_option(socket_, SOL_SOCKET, SO_KEEPALIVE);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return start_tls();
  if (errno == EINPROGRESS) return false;
  last_error_ = std::strerror(errno);
  return try_next_address();
}

Result<bool> Channel::finish_connecting() {
  pollfd poll_entry{socket_, POLLOUT, 0};
  if (::poll(&poll_entry, 1, 0) <= 0) return false;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error == 0) return start_tls();
  last_error_ = std::strerror(error);
  return try_next_address();
}

Result<bool> Channel::start_tls() {
  stage_ = context_ != nullptr ? Stage::Handshake : Stage::Open;
  if (context_ == nullptr) return true;
  tls_.emplace(*context_, socket_, endpoint_.host);
  return connect();
}

Result<std::size_t> Channel::send(std::string_view bytes) {
  if (tls_) {
    const auto step = tls_->send(bytes);
    if (!step) return connection_error(step.error().detail);
    return step->bytes;
  }
  const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (would_block()) return std::size_t{0};
  return connection_error(std::strerror(errno));
}

Result<std::size_t> Channel::receive(std::span<char> buffer) {
  if (tls_) {
    const auto step = tls_->receive(buffer);
    if (!step) return connection_error(step.error().detail);
    wants_write_ = step->wants_write;
    return step->bytes;
  }
  const ssize_t received = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (received > 0) return static_cast<std::size_t>(received);
  if (received == 0) return connection_error("the server closed the connection");
  if (would_block()) return std::size_t{0};
  return connection_error(std::strerror(errno));
}

pollfd Channel::awaited(bool has_more) const {
  switch (stage_) {
    case Stage::Resolving: return {lookup_->awaited(), POLLIN, 0};
    case Stage::Connecting: return {socket_, POLLOUT, 0};
    case Stage::Handshake: break;  // wait for the server; if it is our turn, the next poll comes soon
    case Stage::Open:
      if (has_more || wants_write_) return {socket_, POLLIN | POLLOUT, 0};
      break;
  }
  return {socket_, POLLIN, 0};
}

}  // namespace kbase::redis
