// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/server_limits.hpp"

#include <algorithm>

namespace kbase::http {
namespace {

// Number of connections above the limit that get a 503; further ones are closed without a response.
constexpr std::size_t kMaxOverLimit = 64;

std::size_t excess_over(std::size_t count, std::size_t limit) { return count > limit ? count - limit : 0; }

}  // namespace

bool BodyBudget::Share::resize(std::size_t bytes) noexcept {
  if (bytes > bytes_) {
    const std::size_t more = bytes - bytes_;
    if (budget_.reserved_.fetch_add(more, std::memory_order_relaxed) + more > budget_.limit_) {
      budget_.reserved_.fetch_sub(more, std::memory_order_relaxed);
      return false;
    }
  } else if (bytes < bytes_) {
    budget_.reserved_.fetch_sub(bytes_ - bytes, std::memory_order_relaxed);
  }
  bytes_ = bytes;
  return true;
}

ConnectionCount::AdmitResult ConnectionCount::add(const Peer& peer, bool is_proxy) {
  const std::lock_guard lock(mutex_);
  ++total_;
  ++opened_;
  const std::size_t per_address = ++by_address_[peer.canonical];
  const std::size_t excess =
      std::max(excess_over(total_, limits_.total), is_proxy ? 0 : excess_over(per_address, limits_.per_address));
  if (excess == 0) return AdmitResult::Admitted;
  ++refused_;
  return excess <= kMaxOverLimit ? AdmitResult::OverLimit : AdmitResult::Rejected;
}

void ConnectionCount::remove(const Peer& peer) {
  const std::lock_guard lock(mutex_);
  const auto known = by_address_.find(peer.canonical);
  if (known != by_address_.end() && --known->second == 0) by_address_.erase(known);
  if (--total_ == 0) emptied_.notify_all();
}

ConnectionCount::Stats ConnectionCount::stats() const {
  const std::lock_guard lock(mutex_);
  return {total_, opened_, refused_};
}

void ConnectionCount::wait_until_empty(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  emptied_.wait_for(lock, timeout, [this] { return total_ == 0; });
}

}  // namespace kbase::http
