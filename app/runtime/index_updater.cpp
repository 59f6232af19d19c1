// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_updater.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace kbase::runtime {
namespace {

using ports::LogLevel;

constexpr std::chrono::milliseconds kShortestPause{200};
constexpr std::chrono::milliseconds kLongestPause{10'000};
/// Longer than the lease of a process that died, and than most batches.
constexpr std::chrono::seconds kLongTurn{60};
/// Limit of one wait: a notification can be lost, and an index that another process writes may still need an update.
constexpr std::chrono::milliseconds kLongestWait{1'000};

}  // namespace

IndexUpdater::IndexUpdater(const Parts& parts)
    : parts_(parts),
      follower_(parts.items, parts.index,
                {/*on_progress=*/{}, [this](const IndexFollower::Reason& reason) { say_rebuild(reason); }},
                parts.lease) {}

void IndexUpdater::keep() {
  if (parts_.clock.steady() < again_) return;
  ports::Call call;
  call.cancel = &stopping_;
  const auto followed = follower_.follow(call);
  if (followed)
    follows(*followed);
  else if (followed.error().code == model::ErrorCode::Conflict)
    is_anothers_turn();
  else if (!stopping_)
    is_behind(followed.error());
  parts_.readiness.look(&stopping_);
}

void IndexUpdater::await_change() {
  if (pause_ > pause_.zero() || !parts_.items.capabilities().waits) return;
  ports::Call call;
  call.cancel = &stopping_;
  call.deadline = parts_.clock.steady() + kLongestWait;
  // A failed wait is ignored; the periodic task polls again after its pause.
  static_cast<void>(parts_.items.wait(call, follower_.seen()));
}

void IndexUpdater::say_rebuild(const IndexFollower::Reason& reason) {
  if (pause_ > pause_.zero()) return;  // logged at the first attempt
  const std::string message = "the search index is built anew: " + std::string(reason.what);
  const ports::LogField cause[] = {{"cause", reason.cause}};
  parts_.log.log(LogLevel::Info, "index.rebuilding", message, std::span(cause, reason.cause.empty() ? 0 : 1));
}

void IndexUpdater::is_behind(const model::Error& trouble) {
  if (pause_ == pause_.zero()) {
    const ports::LogField cause[] = {{"cause", trouble.detail}};
    parts_.log.log(LogLevel::Error, "index.behind", trouble.message, cause);
  }
  pause_ = std::clamp(pause_ * 2, kShortestPause, kLongestPause);
  again_ = parts_.clock.steady() + pause_;
  parts_.probes.set(ports::Service::Indexing, ports::ServiceState::Down);
}

void IndexUpdater::is_anothers_turn() {
  const auto now = parts_.clock.steady();
  if (!others_since_) others_since_ = now;
  if (now - *others_since_ < kLongTurn || std::exchange(others_said_, true)) return;
  parts_.log.log(LogLevel::Warning, "index.fed_elsewhere",
                 "another process has been feeding the search index for a minute; this server waits for it");
}

void IndexUpdater::follows(IndexFollower::Outcome outcome) {
  others_since_.reset();
  others_said_ = false;
  if (outcome == IndexFollower::Outcome::Rebuilt)
    parts_.log.log(LogLevel::Info, "index.rebuilt", "the search index was built anew");
  if (pause_ > pause_.zero()) parts_.log.log(LogLevel::Info, "index.follows", "the search index is up to date again");
  pause_ = pause_.zero();
  parts_.probes.set(ports::Service::Indexing, ports::ServiceState::Up);
}

}  // namespace kbase::runtime
