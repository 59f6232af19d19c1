// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/service_probes.hpp"

#include <string>

namespace kbase::runtime {
namespace {

/// A service that does not answer within this time is down.
constexpr std::chrono::seconds kTimeout{3};

std::string_view name_of(ports::Service service) {
  switch (service) {
    case ports::Service::Storage:
      return "storage";
    case ports::Service::Search:
      return "search";
    case ports::Service::Indexing:
      return "indexing";
    case ports::Service::Cache:
      return "cache";
    case ports::Service::Codehost:
      return "codehost";
    case ports::Service::Llm:
      return "llm";
    case ports::Service::RateLimit:
      return "rate_limit";
  }
  return "service";
}

}  // namespace

void ServiceProbes::probe() {
  const auto soon = [this] {
    ports::Call call;
    call.deadline = parts_.clock.steady() + kTimeout;
    return call;
  };
  ports::Call call = soon();
  note(ports::Service::Storage, parts_.items.health(call));
  call = soon();
  note(ports::Service::Search, parts_.index.health(call));
  call = soon();
  if (parts_.cache != nullptr) note(ports::Service::Cache, parts_.cache->health(call));
}

/// Logs a change of state once.
void ServiceProbes::note(ports::Service service, const model::Status& health) {
  const auto now = health ? ports::ServiceState::Up : ports::ServiceState::Down;
  const auto before = slot(service).exchange(now);
  if (before == now) return;
  if (now == ports::ServiceState::Down) {
    const ports::LogField fields[] = {{"service", name_of(service)}, {"cause", health.error().detail}};
    parts_.log.log(ports::LogLevel::Error, "service.down", health.error().message, fields);
  } else if (before == ports::ServiceState::Down) {
    const ports::LogField fields[] = {{"service", name_of(service)}};
    parts_.log.log(ports::LogLevel::Info, "service.up", "the service answers again", fields);
  }
}

}  // namespace kbase::runtime
