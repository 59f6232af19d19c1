// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_redis.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "adapters/redis/channel.hpp"

namespace kbase::tests {

FakeRedis::FakeRedis(Script script)
    : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
  ::listen(listener_, 64);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

FakeRedis::~FakeRedis() {
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& conversation : conversations_) conversation.join();
  ::close(listener_);
}

void FakeRedis::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const std::lock_guard lock(mutex_);
    open_.push_back(socket);
    conversations_.emplace_back([this, socket] { converse(socket); });
  }
}

/// Redis encodes commands like replies: as an array of strings.
void FakeRedis::converse(int socket) {
  redis::ReplyReader reader;
  std::array<char, 65536> buffer{};
  for (bool goes_on = true; goes_on;) {
    const ssize_t received = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (received <= 0) break;
    reader.feed({buffer.data(), static_cast<std::size_t>(received)});
    for (auto command = reader.next(); goes_on && command && *command != nullptr; command = reader.next()) {
      Words words;
      for (const redis::Reply& word : (*command)->elements) words.push_back(word.text);
      {
        const std::lock_guard lock(mutex_);
        received_.push_back(words.front());
      }
      const auto answer = script_(words);
      goes_on = answer.has_value();
      if (answer) ::send(socket, answer->data(), answer->size(), MSG_NOSIGNAL);
    }
  }
  const std::lock_guard lock(mutex_);
  open_.remove(socket);
  ::close(socket);
  closed_.notify_all();
}

void FakeRedis::end_connections() {
  std::unique_lock lock(mutex_);
  for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  closed_.wait(lock, [&] { return open_.empty(); });
}

std::vector<std::string> FakeRedis::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

std::size_t FakeRedis::received(const std::string& name) const {
  const auto all = received();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), name));
}

}  // namespace kbase::tests
