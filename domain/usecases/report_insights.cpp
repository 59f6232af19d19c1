// SPDX-License-Identifier: Apache-2.0
#include "domain/usecases/report_insights.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "domain/base/result.hpp"

namespace kbase::usecases {
namespace {

using ports::FeedbackReport;
using ports::QueryOrder;
using ports::QueryReport;
using ports::QueryTotals;

QueryTotals totals_of(const model::QueryCount& count) {
  // A click may be stored where its search is not, if a server was killed between the two.
  return {count.searches, count.without_result, count.searches - std::min(count.searches, count.with_click)};
}

void add(QueryTotals& sum, const QueryTotals& more) {
  sum.searches += more.searches;
  sum.without_result += more.without_result;
  sum.without_click += more.without_click;
}

std::uint64_t value_of(const QueryTotals& totals, QueryOrder order) {
  switch (order) {
    case QueryOrder::Searches: return totals.searches;
    case QueryOrder::WithoutResult: return totals.without_result;
    case QueryOrder::WithoutClick: return totals.without_click;
  }
  return 0;
}

model::Day first_day(model::Day last, unsigned days) { return last - std::chrono::days(std::max(days, 1U) - 1); }

}  // namespace

Result<std::vector<QueryReport>> ReportInsights::queries(ports::Call& call, unsigned days, QueryOrder order) {
  const model::Day today = model::day_of(clock_.now());
  std::vector<QueryReport> reports;
  KBASE_TRY(store_.queries(call, first_day(today, days), today, [&reports](const model::QueryCount& count) {
    if (reports.empty() || reports.back().query != count.query) reports.push_back({std::string(count.query), {}, {}});
    QueryReport& report = reports.back();
    report.days.push_back({count.day, totals_of(count)});
    add(report.totals, report.days.back().totals);
    return Visit::Continue;
  }));
  std::erase_if(reports, [order](const QueryReport& report) { return value_of(report.totals, order) == 0; });
  std::stable_sort(reports.begin(), reports.end(), [order](const QueryReport& a, const QueryReport& b) {
    return value_of(a.totals, order) > value_of(b.totals, order);
  });
  return reports;
}

Result<std::vector<FeedbackReport>> ReportInsights::feedback(ports::Call& call, unsigned days) {
  const model::Day today = model::day_of(clock_.now());
  std::map<std::string, FeedbackReport, std::less<>> by_item;
  KBASE_TRY(store_.feedback(call, first_day(today, days), today, [&by_item](const model::Feedback& given) {
    FeedbackReport& report = by_item[std::string(given.item)];
    ++(given.is_helpful ? report.helpful : report.not_helpful);
    if (!given.comment.empty()) report.comments.push_back({given.day, given.is_helpful, std::string(given.comment)});
    return Visit::Continue;
  }));
  std::vector<FeedbackReport> reports;
  for (auto& [item, report] : by_item) {
    report.item = item;
    reports.push_back(std::move(report));
  }
  std::stable_sort(reports.begin(), reports.end(), [](const FeedbackReport& a, const FeedbackReport& b) {
    return std::tuple(b.not_helpful, a.helpful) < std::tuple(a.not_helpful, b.helpful);
  });
  return reports;
}

}  // namespace kbase::usecases
