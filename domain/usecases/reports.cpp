// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/reports.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "domain/base/result.hpp"

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

namespace {

constexpr std::size_t kPopularCategories = 5;
constexpr std::chrono::days kActivityDays{30};

}  // namespace

Result<ports::Validator> ReportStatistics::validator(ports::Call& call) {
  const model::ViewsRevision views = deps_.views.revision();
  const auto revision = KBASE_TRY(deps_.items.revision(call));
  return ports::Validator{deps_.items.store_id(), revision, views, model::day_of(deps_.clock.now())};
}

Result<ports::StatisticsReport> ReportStatistics::report(ports::Call& call) {
  const model::Day today = model::day_of(deps_.clock.now());
  const auto totals = KBASE_TRY(deps_.items.totals(call, today));
  ports::StatisticsReport report;
  report.totals = totals;
  KBASE_TRY(add_categories(call, report));
  KBASE_TRY(add_activity(call, today, report));
  return report;
}

Status ReportStatistics::add_categories(ports::Call& call, ports::StatisticsReport& report) {
  std::unordered_map<std::string, std::uint64_t> counted;
  deps_.views.by_category([&](const ports::CategoryViews& row) {
    counted.emplace(row.id, row.views);
    report.totals.views += row.views;
    return Visit::Continue;
  });
  struct Ranked {
    std::string name, id;
    std::uint64_t views;
  };
  std::vector<Ranked> ranked;
  const auto visited = deps_.items.category_views(call, [&](const ports::CategoryViews& row) {
    const auto more = counted.find(std::string(row.id));
    ranked.push_back(
        {std::string(row.name), std::string(row.id), row.views + (more == counted.end() ? 0 : more->second)});
    return Visit::Continue;
  });
  if (!visited) return visited;
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::tie(b.views, a.name, a.id) < std::tie(a.views, b.name, b.id);
  });
  if (ranked.size() > kPopularCategories) ranked.resize(kPopularCategories);
  for (Ranked& category : ranked) report.popular_categories.push_back({std::move(category.name), category.views});
  return {};
}

Status ReportStatistics::add_activity(ports::Call& call, model::Day today, ports::StatisticsReport& report) {
  const model::Day first = today - kActivityDays + std::chrono::days(1);
  for (model::Day day = first; day <= today; day += std::chrono::days(1)) report.daily_activity.push_back({day, 0});
  return deps_.activity.daily(call, first, today, [&](const ports::DayViews& row) {
    report.daily_activity[static_cast<std::size_t>((row.day - first).count())].views = row.views;
    return Visit::Continue;
  });
}

}  // namespace kbase::usecases
