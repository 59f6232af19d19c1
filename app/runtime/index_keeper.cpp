// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_keeper.hpp"

#include <algorithm>
#include <span>
#include <string>

namespace kbase::runtime {
namespace {

using ports::LogLevel;

constexpr std::chrono::milliseconds kShortestPause{200};
constexpr std::chrono::milliseconds kLongestPause{10'000};

}  // namespace

IndexKeeper::IndexKeeper(const Parts& parts)
    : parts_(parts),
      follower_(parts.items, parts.index,
                {/*on_progress=*/{}, [this](const IndexFollower::Reason& reason) { say_rebuild(reason); }}) {}

void IndexKeeper::keep() {
  if (parts_.clock.steady() < again_) return;
  ports::Call call;
  call.cancel = &stopping_;
  const auto followed = follower_.follow(call);
  if (followed)
    follows(*followed);
  else if (followed.error().code != model::ErrorCode::Conflict && !stopping_)
    is_behind(followed.error());
  parts_.readiness.look();
}

void IndexKeeper::say_rebuild(const IndexFollower::Reason& reason) {
  if (pause_ > pause_.zero()) return;  // it was said when it was tried first
  const std::string message = "the search index is built anew: " + std::string(reason.what);
  const ports::LogField cause[] = {{"cause", reason.cause}};
  parts_.log.log(LogLevel::Info, "index.rebuilding", message, std::span(cause, reason.cause.empty() ? 0 : 1));
}

void IndexKeeper::is_behind(const model::Error& trouble) {
  if (pause_ == pause_.zero()) {
    const ports::LogField cause[] = {{"cause", trouble.detail}};
    parts_.log.log(LogLevel::Error, "index.behind", trouble.message, cause);
  }
  pause_ = std::clamp(pause_ * 2, kShortestPause, kLongestPause);
  again_ = parts_.clock.steady() + pause_;
  parts_.probes.set(ports::Service::Indexing, ports::ServiceState::Down);
}

void IndexKeeper::follows(IndexFollower::Outcome outcome) {
  if (outcome == IndexFollower::Outcome::Rebuilt)
    parts_.log.log(LogLevel::Info, "index.rebuilt", "the search index was built anew");
  if (pause_ > pause_.zero()) parts_.log.log(LogLevel::Info, "index.follows", "the search index is up to date again");
  pause_ = pause_.zero();
  parts_.probes.set(ports::Service::Indexing, ports::ServiceState::Up);
}

}  // namespace kbase::runtime
