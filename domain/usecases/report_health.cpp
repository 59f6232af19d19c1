// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/report_health.hpp"

namespace kbase::usecases {

ports::HealthReport ReportHealth::report() const {
  using ports::Service;
  using ports::ServiceState;
  using Condition = ports::HealthReport::Condition;

  ports::HealthReport report;
  report.now = clock_.now();
  report.storage = monitor_.state(Service::Storage);
  report.cache = monitor_.state(Service::Cache);
  report.codehost = monitor_.state(Service::Codehost);
  report.llm = monitor_.state(Service::Llm);
  if (report.storage == ServiceState::Down || monitor_.state(Service::Search) == ServiceState::Down)
    report.condition = Condition::Unhealthy;
  else if (monitor_.state(Service::Indexing) == ServiceState::Down || report.cache == ServiceState::Down ||
           report.codehost == ServiceState::Down || report.llm == ServiceState::Down ||
           monitor_.state(Service::RateLimit) == ServiceState::Down)
    report.condition = Condition::Degraded;
  return report;
}

}  // namespace kbase::usecases
