// SPDX-License-Identifier: Apache-2.0
#include "adapters/insight_page/insight_page.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::insight_page {
namespace {

using Dictionary = ctemplate::TemplateDictionary;
using ports::QueryOrder;

constexpr const char* kFile = "insights.html";
constexpr unsigned kDays = 30;
constexpr std::size_t kMostRows = 50;
constexpr std::size_t kMostComments = 20;

template <class Row> std::span<const Row> first(const std::vector<Row>& rows, std::size_t most) {
  return std::span(rows).first(std::min(rows.size(), most));
}

void set_number(Dictionary& row, const char* name, std::uint64_t number) { row.SetValue(name, std::to_string(number)); }

void add_queries(Dictionary& page, const char* title, const std::vector<ports::QueryReport>& reports) {
  Dictionary& table = *page.AddSectionDictionary("QUERIES");
  table.SetValue("TITLE", title);
  if (reports.empty()) return table.ShowSection("NONE");
  Dictionary& rows = *table.AddSectionDictionary("SOME");
  for (const ports::QueryReport& report : first(reports, kMostRows)) {
    Dictionary& row = *rows.AddSectionDictionary("ROWS");
    row.SetValue("QUERY", report.query);
    set_number(row, "SEARCHES", report.totals.searches);
    set_number(row, "WITHOUT_RESULT", report.totals.without_result);
    set_number(row, "WITHOUT_CLICK", report.totals.without_click);
  }
}

void add_feedback(Dictionary& page, const std::vector<ports::FeedbackReport>& reports) {
  if (reports.empty()) return page.ShowSection("NO_FEEDBACK");
  Dictionary& table = *page.AddSectionDictionary("FEEDBACK");
  for (const ports::FeedbackReport& report : first(reports, kMostRows)) {
    Dictionary& row = *table.AddSectionDictionary("ROWS");
    row.SetValue("ITEM", report.item);
    set_number(row, "HELPFUL", report.helpful);
    set_number(row, "NOT_HELPFUL", report.not_helpful);
    for (const ports::FeedbackReport::Comment& comment : first(report.comments, kMostComments)) {
      Dictionary& line = *row.AddSectionDictionary("COMMENTS");
      line.SetValue("DAY", model::format_day(comment.day));
      line.SetValue("TEXT", comment.text);
    }
  }
}

}  // namespace

Result<InsightPage> InsightPage::open(const std::filesystem::path& folder, About about) {
  auto templates = KBASE_TRY(Templates::open(folder, "the folder of the pages for operators"));
  if (!templates.has(kFile)) return Error{ErrorCode::Unsupported, folder.string() + " has no file " + kFile};
  return InsightPage(std::move(templates), std::move(about));
}

Result<std::string> InsightPage::make(ports::Call& call, ports::InsightReports& reports, model::Instant now) const {
  Dictionary page("insights");
  page.SetValue("SITE", about_.site);
  page.SetIntValue("DAYS", kDays);
  page.SetIntValue("MIN_CLIENTS", about_.min_clients);
  page.SetValue("TIME", model::format_instant(now));
  struct Shown {
    const char* title;
    QueryOrder order;
  };
  for (const Shown& shown : {Shown{"Most frequent queries", QueryOrder::Searches},
                             Shown{"Queries without result", QueryOrder::WithoutResult},
                             Shown{"Queries after which nothing was read", QueryOrder::WithoutClick}}) {
    const auto queries = KBASE_TRY(reports.queries(call, kDays, shown.order));
    add_queries(page, shown.title, queries);
  }
  const auto feedback = KBASE_TRY(reports.feedback(call, kDays));
  add_feedback(page, feedback);
  return templates_.expand(kFile, page);
}

}  // namespace kbase::insight_page
