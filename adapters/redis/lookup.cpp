// SPDX-License-Identifier: Apache-2.0
#include "adapters/redis/lookup.hpp"

#include <netdb.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <system_error>

namespace kbase::redis {

Lookup::Lookup(const Endpoint& endpoint) : endpoint_(endpoint) {
  search(AI_NUMERICHOST);
  is_done_ = !addresses_.empty();
  if (is_done_) return;
  event_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  try {
    thread_ = std::thread([this] { search_by_name(); });
  } catch (const std::system_error&) {
    if (event_ >= 0) ::close(event_);
    throw;
  }
}

void Lookup::search_by_name() noexcept {
  try {
    search(0);
  } catch (const std::bad_alloc&) {
    addresses_.clear();
    error_ = "out of memory";  // short string, needs no allocation
  }
  is_done_ = true;
  [[maybe_unused]] const int told = ::eventfd_write(event_, 1);  // if it fails, the next poll notices
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
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(code == 0 ? found : nullptr, [](addrinfo* list) {
    if (list != nullptr) ::freeaddrinfo(list);
  });
  error_ = code == 0 ? std::string() : "cannot look up the host: " + std::string(::gai_strerror(code));
  for (const addrinfo* entry = owner.get(); entry != nullptr; entry = entry->ai_next) {
    SocketAddress& address = addresses_.emplace_back();
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
  }
}

}  // namespace kbase::redis
