// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/connection_count.hpp"

#include <algorithm>

namespace kbase::http {
namespace {

// Number of connections above the limit that get a 503; further ones are closed without a response.
constexpr std::size_t kToldAtOnce = 64;

std::size_t above(std::size_t count, std::size_t limit) {
  return count > limit ? count - limit : 0;
}

}  // namespace

ConnectionCount::Room ConnectionCount::add(const Peer& peer, bool is_proxy) {
  const std::lock_guard lock(mutex_);
  ++all_;
  ++opened_;
  const std::size_t of_address = ++by_address_[peer.canonical];
  const std::size_t excess =
      std::max(above(all_, limits_.all), is_proxy ? 0 : above(of_address, limits_.of_an_address));
  if (excess == 0) return Room::Enough;
  ++refused_;
  return excess <= kToldAtOnce ? Room::Little : Room::None;
}

void ConnectionCount::remove(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const auto known = by_address_.find(peer.canonical);
  if (known != by_address_.end() && --known->second == 0) by_address_.erase(known);
  if (--all_ == 0) emptied_.notify_all();
}

ConnectionCount::Stats ConnectionCount::stats() const {
  const std::lock_guard lock(mutex_);
  return {all_, opened_, refused_};
}

void ConnectionCount::wait_until_none(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  emptied_.wait_for(lock, timeout, [this] { return all_ == 0; });
}

}  // namespace kbase::http
