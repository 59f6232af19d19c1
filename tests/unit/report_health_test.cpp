// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/reports.hpp"

#include <gtest/gtest.h>

#include <map>

#include "plugins/conformance/fixtures.hpp"
#include "tests/support/mocks/driven/service_monitor.hpp"

namespace kbase::tests {
namespace {

using ports::Service;
using ports::ServiceState;
using trompeloeil::_;
using Condition = ports::HealthReport::Condition;

class ReportHealth : public testing::Test {
 protected:
  ports::HealthReport report_with(const std::map<Service, ServiceState>& changed) {
    std::map<Service, ServiceState> states = {
        {Service::Storage, ServiceState::Up},  {Service::Search, ServiceState::Up},
        {Service::Indexing, ServiceState::Up}, {Service::Cache, ServiceState::Up},
        {Service::Codehost, ServiceState::Up}, {Service::Llm, ServiceState::Up},
        {Service::RateLimit, ServiceState::Up}};
    for (const auto& [service, state] : changed) states[service] = state;
    ALLOW_CALL(monitor_, state(_)).RETURN(states.at(_1));
    return usecases::ReportHealth(monitor_, clock_).report();
  }

  MockServiceMonitor monitor_;
  conformance::ManualClock clock_;
};

TEST_F(ReportHealth, IsHealthyWhileEverythingIsUp) { EXPECT_EQ(report_with({}).condition, Condition::Healthy); }

TEST_F(ReportHealth, IsHealthyIfServicesAreDisabled) {
  EXPECT_EQ(report_with({{Service::Cache, ServiceState::Disabled},
                         {Service::Codehost, ServiceState::Disabled},
                         {Service::Llm, ServiceState::Disabled},
                         {Service::RateLimit, ServiceState::Disabled}})
                .condition,
            Condition::Healthy);
}

TEST_F(ReportHealth, IsDegradedWhileAnOptionalServiceIsDown) {
  for (const Service service : {Service::Indexing, Service::Cache, Service::Codehost, Service::Llm, Service::RateLimit})
    EXPECT_EQ(report_with({{service, ServiceState::Down}}).condition, Condition::Degraded);
}

TEST_F(ReportHealth, IsUnhealthyWhileStorageOrSearchIsDown) {
  for (const Service service : {Service::Storage, Service::Search}) {
    EXPECT_EQ(report_with({{service, ServiceState::Down}}).condition, Condition::Unhealthy);
    EXPECT_EQ(report_with({{service, ServiceState::Down}, {Service::Cache, ServiceState::Down}}).condition,
              Condition::Unhealthy);
  }
}

TEST_F(ReportHealth, ReportsEachServiceAndTheTime) {
  const auto report = report_with({{Service::Storage, ServiceState::Down},
                                   {Service::Codehost, ServiceState::Disabled},
                                   {Service::Llm, ServiceState::Down}});
  EXPECT_EQ(report.storage, ServiceState::Down);
  EXPECT_EQ(report.cache, ServiceState::Up);
  EXPECT_EQ(report.codehost, ServiceState::Disabled);
  EXPECT_EQ(report.llm, ServiceState::Down);
  EXPECT_EQ(report.now, clock_.now());
}

}  // namespace
}  // namespace kbase::tests
