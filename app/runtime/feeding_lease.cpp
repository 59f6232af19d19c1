// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/feeding_lease.hpp"

#include <array>
#include <utility>

namespace kbase::runtime {
namespace {

constexpr std::size_t kLongestName = 256;
/// Timeout of renewal and release, so that they do not delay indexing.
constexpr std::chrono::milliseconds kTimeout{2'000};

model::Error fed_by_another() {
  return {model::ErrorCode::Conflict, "Another process feeds the search index.", {}, {}, {}};
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const std::uint8_t byte : bytes) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 0x0F];
  }
  return digits;
}

}  // namespace

model::Result<std::unique_ptr<FeedingLease>> FeedingLease::make(const Parts& parts) {
  if (!parts.index.capabilities().shared) return std::unique_ptr<FeedingLease>();
  if (!parts.items.capabilities().leases)
    return model::Error{model::ErrorCode::Unsupported,
                        "the search index is one that several servers share, and the storage has no leases by which "
                        "they could take turns to feed it; choose another search or storage plugin",
                        {},
                        {},
                        {}};
  std::array<std::uint8_t, 16> owner{};
  parts.random.fill(owner);
  // Indexes with other settings are different indexes with a lease of their own.
  std::string name = "feed " + std::string(parts.index.fingerprint());
  name.resize(std::min(name.size(), kLongestName));
  return std::unique_ptr<FeedingLease>(new FeedingLease(parts, std::move(name), hex(owner)));
}

FeedingLease::FeedingLease(const Parts& parts, std::string name, std::string owner)
    : items_(parts.items), clock_(parts.clock), name_(std::move(name)), owner_(std::move(owner)) {}

model::Result<std::unique_ptr<FeedingLease::Hold>> FeedingLease::take(ports::Call& call) {
  std::unique_lock place(place_, std::try_to_lock);
  if (!place.owns_lock()) return fed_by_another();
  const auto until = ask(call);
  if (!until) return until.error();
  return std::make_unique<Hold>(*this, std::move(place), *until);
}

/// The returned expiry counts from before the request, so it is never later than the store's.
model::Result<std::chrono::steady_clock::time_point> FeedingLease::ask(ports::Call& call) {
  const auto asked = clock_.steady();
  const auto is_ours = items_.try_lease(call, name_, owner_, kTimeToLive);
  if (!is_ours) return is_ours.error();
  if (!*is_ours) return fed_by_another();
  return asked + kTimeToLive;
}

FeedingLease::Hold::Hold(FeedingLease& lease, std::unique_lock<std::mutex> place,
                         std::chrono::steady_clock::time_point until)
    : lease_(lease), place_(std::move(place)), until_(until), renewal_(kRenewal, [this] { renew(); }) {}

/// If the release does not reach the store, the lease expires by itself.
FeedingLease::Hold::~Hold() {
  renewal_.stop();
  ports::Call call;
  call.deadline = lease_.clock_.steady() + kTimeout;
  static_cast<void>(lease_.items_.try_lease(call, lease_.name_, lease_.owner_, std::chrono::milliseconds(0)));
}

bool FeedingLease::Hold::lasts() const {
  return lease_.clock_.steady() < until_.load();
}

/// A failed renewal is tried again at the next interval until the lease has expired.
void FeedingLease::Hold::renew() {
  ports::Call call;
  call.deadline = lease_.clock_.steady() + kTimeout;
  if (!lasts()) return;
  if (const auto until = lease_.ask(call)) until_ = *until;
}

}  // namespace kbase::runtime
