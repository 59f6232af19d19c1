// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/session.hpp"
#include "domain/usecases/report_insights.hpp"

namespace kbase::cli {
namespace {

using Json = nlohmann::ordered_json;
using ports::FeedbackReport;
using ports::QueryOrder;
using ports::QueryReport;
using ports::QueryTotals;

struct InsightArguments {
  ConfigArguments config;
  unsigned days = 30;
  bool zero = false, no_click = false, feedback = false, as_json = false, as_csv = false;
};

unsigned long long printable(std::uint64_t number) { return number; }

/// A field of CSV (RFC 4180). A formula of a spreadsheet must not come from a reader, so such a text gets an apostrophe
/// (OWASP, "CSV Injection").
std::string csv_field(std::string text) {
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

Json to_json(const QueryTotals& totals) {
  return {{"searches", totals.searches},
          {"without_result", totals.without_result},
          {"without_click", totals.without_click}};
}

void print_json(const std::vector<QueryReport>& reports) {
  Json all = Json::array();
  for (const QueryReport& report : reports) {
    Json row = {{"query", report.query}};
    row.update(to_json(report.totals));
    row["days"] = Json::object();
    for (const QueryReport::OfDay& day : report.days) row["days"][model::format_day(day.day)] = to_json(day.totals);
    all.push_back(std::move(row));
  }
  std::puts(all.dump().c_str());
}

void print_csv(const std::vector<QueryReport>& reports) {
  std::puts("day,query,searches,without_result,without_click");
  for (const QueryReport& report : reports)
    for (const QueryReport::OfDay& day : report.days)
      std::printf("%s,%s,%llu,%llu,%llu\n", model::format_day(day.day).c_str(), csv_field(report.query).c_str(),
                  printable(day.totals.searches), printable(day.totals.without_result),
                  printable(day.totals.without_click));
}

void print_table(const std::vector<QueryReport>& reports) {
  std::printf("%8s  %14s  %13s  %s\n", "searches", "without result", "without click", "query");
  for (const QueryReport& report : reports)
    std::printf("%8llu  %14llu  %13llu  %s\n", printable(report.totals.searches),
                printable(report.totals.without_result), printable(report.totals.without_click), report.query.c_str());
}

void print_json(const std::vector<FeedbackReport>& reports) {
  Json all = Json::array();
  for (const FeedbackReport& report : reports) {
    Json comments = Json::array();
    for (const FeedbackReport::Comment& comment : report.comments)
      comments.push_back(
          {{"day", model::format_day(comment.day)}, {"helpful", comment.is_helpful}, {"text", comment.text}});
    all.push_back({{"item", report.item},
                   {"helpful", report.helpful},
                   {"not_helpful", report.not_helpful},
                   {"comments", std::move(comments)}});
  }
  std::puts(all.dump().c_str());
}

void print_csv(const std::vector<FeedbackReport>& reports) {
  std::puts("item,helpful,not_helpful,day,comment_helpful,comment");
  for (const FeedbackReport& report : reports) {
    const std::string item =
        csv_field(report.item) + ',' + std::to_string(report.helpful) + ',' + std::to_string(report.not_helpful);
    if (report.comments.empty()) std::printf("%s,,,\n", item.c_str());
    for (const FeedbackReport::Comment& comment : report.comments)
      std::printf("%s,%s,%s,%s\n", item.c_str(), model::format_day(comment.day).c_str(),
                  comment.is_helpful ? "true" : "false", csv_field(comment.text).c_str());
  }
}

/// A text on one line of a terminal.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

void print_table(const std::vector<FeedbackReport>& reports) {
  std::printf("%7s  %11s  %s\n", "helpful", "not helpful", "item");
  for (const FeedbackReport& report : reports) {
    std::printf("%7llu  %11llu  %s\n", printable(report.helpful), printable(report.not_helpful), report.item.c_str());
    for (const FeedbackReport::Comment& comment : report.comments)
      std::printf("%22s %s %s %s\n", "", model::format_day(comment.day).c_str(),
                  comment.is_helpful ? "yes:" : "no: ", one_line(comment.text).c_str());
  }
}

template <class Report> int print(const Result<std::vector<Report>>& reports, const InsightArguments& arguments) {
  if (!reports) return fail(reports.error());
  if (arguments.as_json)
    print_json(*reports);
  else if (arguments.as_csv)
    print_csv(*reports);
  else
    print_table(*reports);
  return kSuccess;
}

int run(const InsightArguments& arguments, Session& session) {
  if (session.stores.insights == nullptr)
    return fail_usage(
        invalid_argument("insights.enabled", "the configuration has no insights: set insights.enabled to true"));
  if (arguments.days == 0 || arguments.days > 3650)
    return fail_usage(invalid_argument("days", "--days must be from 1 to 3650"));
  if (arguments.zero + arguments.no_click + arguments.feedback > 1)
    return fail_usage(invalid_argument("zero", "only one of --zero, --no-click and --feedback is possible"));
  if (arguments.as_json && arguments.as_csv)
    return fail_usage(invalid_argument("json", "only one of --json and --csv is possible"));
  usecases::ReportInsights reports(*session.stores.insights, session.platform.clock);
  ports::Call call;
  if (arguments.feedback) return print(reports.feedback(call, arguments.days), arguments);
  const QueryOrder order = arguments.zero       ? QueryOrder::WithoutResult
                           : arguments.no_click ? QueryOrder::WithoutClick
                                                : QueryOrder::Searches;
  return print(reports.queries(call, arguments.days, order), arguments);
}

}  // namespace

void add_insights(Command root) {
  const auto arguments = std::make_shared<InsightArguments>();
  Command command = root.command("insights", "show what readers search for, and what they say of items");
  command.flag("--zero", arguments->zero, "only queries without result, the most frequent first");
  command.flag("--no-click", arguments->no_click, "only queries after which no result was read");
  command.flag("--feedback", arguments->feedback, "what readers said of items");
  command.option("--days", arguments->days, "number of days, with today; default: 30", "N");
  command.flag("--json", arguments->as_json, "print one JSON array");
  command.flag("--csv", arguments->as_csv, "print CSV, a row for each query and day");
  add_config_options(command, arguments->config);
  command.set_action([arguments] {
    return with_existing_stores(arguments->config, [&](Session& session) { return run(*arguments, session); });
  });
}

}  // namespace kbase::cli
