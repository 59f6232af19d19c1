// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/plugin_check/report.hpp"

namespace kbase::plugin_check {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return "passed";
    case Verdict::Warned:
      return "warned";
    case Verdict::Failed:
      return "failed";
    case Verdict::Skipped:
      return "skipped";
  }
  return "";
}

Json plugin_of(const Description& plugin) {
  Json ports = Json::array();
  for (const OfferedPort& port : plugin.ports) ports.push_back(port.access->id);
  return {{"id", plugin.id},
          {"version", plugin.version},
          {"vendor", plugin.vendor},
          {"license", plugin.license},
          {"ports", ports}};
}

Json check_of(const Result& result) {
  Json shortcomings = Json::array();
  for (const Shortcoming& shortcoming : result.outcome.shortcomings)
    shortcomings.push_back({{"wanted", shortcoming.wanted}, {"seen", shortcoming.seen}});
  Json check{{"subject", result.subject},
             {"name", result.name},
             {"verdict", name_of(result.outcome.verdict)},
             {"milliseconds", result.outcome.took.count()},
             {"header", line_of(result.outcome.rule).header},
             {"line", line_of(result.outcome.rule).line},
             {"about", result.outcome.rule.name},
             {"shortcomings", shortcomings}};
  if (!result.outcome.skipped.empty()) check["skipped"] = result.outcome.skipped;
  if (!result.outcome.printed.empty()) check["printed"] = result.outcome.printed;
  return check;
}

}  // namespace

std::string json_report(const Certificate& certificate) {
  Json checks = Json::array();
  for (const Result& result : certificate.results) checks.push_back(check_of(result));
  Json summary;
  for (const Verdict verdict : {Verdict::Passed, Verdict::Failed, Verdict::Warned, Verdict::Skipped})
    summary[name_of(verdict)] = certificate.count(verdict);
  const Json report{{"file", certificate.file.string()},
                    {"plugin", certificate.plugin ? plugin_of(*certificate.plugin) : Json()},
                    {"passed", certificate.is_passed()},
                    {"summary", summary},
                    {"checks", checks}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace kbase::plugin_check
