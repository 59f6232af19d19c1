// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/server_readiness.hpp"

#include <chrono>

namespace kbase::runtime {
namespace {

/// Timeout of look(), so that health checks and shutdown are not delayed.
constexpr std::chrono::seconds kTimeout{3};

}  // namespace

void ServerReadiness::look(ports::CancelSource cancel) {
  ports::Call call;
  call.deadline = parts_.clock.steady() + kTimeout;
  call.cancel = cancel;
  const auto state = parts_.index.state(call);
  if (!state) return;
  index_documents_ = state->documents;
  // An index that waits for a rebuild may still answer from its old state.
  index_answers_ = state->complete || parts_.index.health(call).has_value();
  const auto revision = parts_.items.revision(call);
  if (!revision) return;
  const bool follows = state->complete && state->store_id == parts_.items.store_id() && state->revision <= *revision;
  index_lag_ = follows ? *revision - state->revision : *revision;
}

std::vector<std::string_view> ServerReadiness::obstacles() const {
  std::vector<std::string_view> obstacles;
  const Phase phase = phase_;
  if (phase == Phase::Starting) obstacles.emplace_back("the server is starting");
  if (phase == Phase::Draining) obstacles.emplace_back("the server is stopping");
  if (parts_.monitor.state(ports::Service::Storage) == ports::ServiceState::Down)
    obstacles.emplace_back("the storage is down");
  if (!index_answers_) obstacles.emplace_back("the search index is not complete yet");
  return obstacles;
}

}  // namespace kbase::runtime
