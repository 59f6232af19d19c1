// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/connector.hpp"

#include <algorithm>
#include <array>

namespace kbase::postgres {
namespace {

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{1000};
constexpr unsigned kMostDoublings = 5;

/// Minimum time of an attempt that ended with the deadline to count as a failure of the host.
constexpr std::chrono::milliseconds kFairTime{200};

std::uint32_t seed_of(ports::Random& random) {
  std::array<std::uint8_t, 4> bytes{};
  random.fill(bytes);
  return static_cast<std::uint32_t>(bytes[0] << 24U | bytes[1] << 16U | bytes[2] << 8U | bytes[3]);
}

}  // namespace

Connector::Connector(Location location, const ports::Clock& clock, ports::Random& random)
    : location_(std::move(location)), clock_(clock), jitter_(seed_of(random)) {}

model::Result<std::unique_ptr<Session>> Connector::connect(const ports::Call& call) {
  if (auto open = gate(); !open) return open.error();
  const std::size_t count = location_.hosts.size();
  const std::size_t first = tried_first_;
  std::string details;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (first + i) % count;
    const Location::Host& host = location_.hosts[at];
    const auto began = clock_.steady();
    auto session = Session::open(host.keywords, host.name, location_.timeout, call, clock_);
    if (session) {
      note_success(at);
      return session;
    }
    if (const auto wanted = still_wanted(call, clock_); !wanted) {
      const bool had_its_time =
          wanted.error().code == model::ErrorCode::Deadline && clock_.steady() - began >= kFairTime;
      if (had_its_time) tried_first_ = (at + 1) % count;
      return wanted.error();
    }
    details += (details.empty() ? "" : "; ") + session.error().detail;
  }
  const model::Error error{model::ErrorCode::Unavailable, "no database server takes the connection", details, {}, {}};
  note_failure(error);
  return error;
}

model::Status Connector::gate() {
  const std::lock_guard lock(mutex_);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(closed_until_ - clock_.steady());
  if (failures_ == 0 || left <= left.zero()) return {};
  model::Error error = last_error_;
  error.retry_after = left;
  return error;
}

void Connector::note_failure(const model::Error& error) {
  const std::lock_guard lock(mutex_);
  const auto pause = std::min(kLongestPause, kFirstPause * (1 << std::min(failures_, kMostDoublings)));
  ++failures_;
  last_error_ = error;
  std::uniform_int_distribution<std::int64_t> half_to_whole(pause.count() / 2, pause.count());
  closed_until_ = clock_.steady() + std::chrono::milliseconds(half_to_whole(jitter_));
}

void Connector::note_success(std::size_t host) {
  tried_first_ = host;
  const std::lock_guard lock(mutex_);
  failures_ = 0;
}

}  // namespace kbase::postgres
