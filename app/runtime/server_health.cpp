// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/server_health.hpp"

#include <chrono>
#include <string>

#include "domain/usecases/item_document.hpp"

namespace kbase::runtime {
namespace {

/// Timeout of a health check and of ServerReadiness::refresh(). A service that does not answer within this time is
/// down.
constexpr std::chrono::seconds kTimeout{3};

std::string_view service_name(ports::Service service) {
  switch (service) {
    case ports::Service::Storage: return "storage";
    case ports::Service::Search: return "search";
    case ports::Service::Indexing: return "indexing";
    case ports::Service::Cache: return "cache";
    case ports::Service::Codehost: return "codehost";
    case ports::Service::Llm: return "llm";
    case ports::Service::RateLimit: return "rate_limit";
  }
  return "service";
}

}  // namespace

void HealthChecker::check() {
  const auto make_call = [this] {
    ports::Call call;
    call.deadline = deps_.clock.steady() + kTimeout;
    return call;
  };
  ports::Call call = make_call();
  record(ports::Service::Storage, deps_.items.health(call));
  call = make_call();
  record(ports::Service::Search, deps_.index.health(call));
  call = make_call();
  if (deps_.cache != nullptr) record(ports::Service::Cache, deps_.cache->health(call));
}

/// Logs a change of state once.
void HealthChecker::record(ports::Service service, const Status& health) {
  const auto now = health ? ports::ServiceState::Up : ports::ServiceState::Down;
  const auto before = state_of(service).exchange(now);
  if (before == now) return;
  if (now == ports::ServiceState::Down) {
    const ports::LogField fields[] = {{"service", service_name(service)}, {"cause", health.error().detail}};
    deps_.log.log(ports::LogLevel::Error, "service.down", health.error().message, fields);
  } else if (before == ports::ServiceState::Down) {
    const ports::LogField fields[] = {{"service", service_name(service)}};
    deps_.log.log(ports::LogLevel::Info, "service.up", "the service answers again", fields);
  }
}

void ServerReadiness::refresh(ports::CancelSource cancel) {
  ports::Call call;
  call.deadline = deps_.clock.steady() + kTimeout;
  call.cancel = cancel;
  const auto state = deps_.index.state(call);
  if (!state) return;
  index_documents_ = state->documents;
  // An index that waits for a rebuild may still answer from its old state.
  index_answers_ = state->complete || deps_.index.health(call).has_value();
  const auto revision = deps_.items.revision(call);
  if (!revision) return;
  const bool is_comparable = state->complete && state->store_id == usecases::indexed_store_id(deps_.items.store_id()) &&
                             state->revision <= *revision;
  index_lag_ = is_comparable ? *revision - state->revision : *revision;
}

std::vector<std::string_view> ServerReadiness::obstacles() const {
  std::vector<std::string_view> obstacles;
  const Phase phase = phase_;
  if (phase == Phase::Starting) obstacles.emplace_back("the server is starting");
  if (phase == Phase::Draining) obstacles.emplace_back("the server is stopping");
  if (deps_.monitor.state(ports::Service::Storage) == ports::ServiceState::Down)
    obstacles.emplace_back("the storage is down");
  if (!index_answers_) obstacles.emplace_back("the search index is not complete yet");
  return obstacles;
}

}  // namespace kbase::runtime
