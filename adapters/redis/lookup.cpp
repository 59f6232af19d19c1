// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/lookup.hpp"

#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>

namespace kbase::redis {

Lookup::Lookup(const Endpoint& endpoint) : endpoint_(endpoint) {
  search(AI_NUMERICHOST);
  is_done_ = !addresses_.empty();
  if (is_done_) return;
  event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] {
    search(0);
    is_done_ = true;
    [[maybe_unused]] const int told = ::eventfd_write(event_, 1);  // unheard, it is seen at the next look
  });
}

Lookup::~Lookup() {
  if (thread_.joinable()) thread_.join();
  if (event_ >= 0) ::close(event_);
}

void Lookup::search(int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(endpoint_.host.c_str(), std::to_string(endpoint_.port).c_str(), &hints, &found);
  error_ = code == 0 ? std::string() : "cannot look up the host: " + std::string(::gai_strerror(code));
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    SocketAddress& address = addresses_.emplace_back();
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
  }
  if (found != nullptr) ::freeaddrinfo(found);
}

}  // namespace kbase::redis
