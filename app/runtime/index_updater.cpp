// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_updater.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace kbase::runtime {
namespace {

using ports::LogLevel;

constexpr std::chrono::milliseconds kMinBackoff{200};
constexpr std::chrono::milliseconds kMaxBackoff{10'000};
/// Longer than the lease of a process that died, and than most batches.
constexpr std::chrono::seconds kLongConflict{60};
/// Limit of one wait: a notification can be lost, and an index that another process writes may still need an update.
constexpr std::chrono::milliseconds kMaxWait{1'000};

}  // namespace

IndexUpdater::IndexUpdater(const Dependencies& deps)
    : deps_(deps),
      follower_(deps.items, deps.index,
                {/*on_progress=*/{}, [this](const IndexFollower::Reason& reason) { log_rebuild(reason); }},
                deps.lease) {}

void IndexUpdater::update() {
  if (deps_.clock.steady() < next_attempt_) return;
  ports::Call call;
  call.cancel = &stopping_;
  const auto outcome = follower_.follow(call);
  if (outcome)
    on_updated(*outcome);
  else if (outcome.error().code == ErrorCode::Conflict)
    on_lease_conflict();
  else if (!stopping_)
    on_failure(outcome.error());
  deps_.readiness.refresh(&stopping_);
}

void IndexUpdater::await_change() {
  if (backoff_ > backoff_.zero() || !deps_.items.capabilities().waits) return;
  ports::Call call;
  call.cancel = &stopping_;
  call.deadline = deps_.clock.steady() + kMaxWait;
  // A failed wait is ignored; the periodic task polls again after its pause.
  static_cast<void>(deps_.items.wait(call, follower_.last_revision()));
}

void IndexUpdater::log_rebuild(const IndexFollower::Reason& reason) {
  if (backoff_ > backoff_.zero()) return;  // logged at the first attempt
  const std::string message = "the search index is being rebuilt: " + std::string(reason.what);
  const ports::LogField cause[] = {{"cause", reason.cause}};
  deps_.log.log(LogLevel::Info, "index.rebuilding", message, std::span(cause, reason.cause.empty() ? 0 : 1));
}

void IndexUpdater::on_failure(const Error& error) {
  if (backoff_ == backoff_.zero()) {
    const ports::LogField cause[] = {{"cause", error.detail}};
    deps_.log.log(LogLevel::Error, "index.behind", error.message, cause);
  }
  backoff_ = std::clamp(backoff_ * 2, kMinBackoff, kMaxBackoff);
  next_attempt_ = deps_.clock.steady() + backoff_;
  deps_.health.set(ports::Service::Indexing, ports::ServiceState::Down);
}

void IndexUpdater::on_lease_conflict() {
  const auto now = deps_.clock.steady();
  if (!conflict_since_) conflict_since_ = now;
  if (now - *conflict_since_ < kLongConflict || std::exchange(conflict_logged_, true)) return;
  deps_.log.log(
      LogLevel::Warning, "index.fed_elsewhere",
      "another process has been writing the search index for a minute; this server waits until it has finished");
}

void IndexUpdater::on_updated(IndexFollower::Outcome outcome) {
  conflict_since_.reset();
  conflict_logged_ = false;
  if (outcome == IndexFollower::Outcome::Rebuilt)
    deps_.log.log(LogLevel::Info, "index.rebuilt", "the search index was rebuilt");
  if (backoff_ > backoff_.zero())
    deps_.log.log(LogLevel::Info, "index.follows", "the search index is up to date again");
  backoff_ = backoff_.zero();
  deps_.health.set(ports::Service::Indexing, ports::ServiceState::Up);
}

}  // namespace kbase::runtime
