// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/contained.hpp"
#include "app/plugin_check/rules.hpp"
#include "app/plugin_check/scratch_folder.hpp"

namespace kbase::plugin_check {
namespace {

using Json = nlohmann::json;

/// Serializes a check's findings for the pipe. Invalid UTF-8 from the plugin is replaced.
std::string told(const conformance::Report& report) {
  Json findings = Json::array();
  std::set<std::string_view> wanted;  // each violated rule once, even if a check tests it a thousand times
  for (const conformance::Finding& finding : report.findings())
    if (wanted.insert(finding.wanted).second) findings.push_back({finding.wanted, finding.seen});
  return Json{{"findings", findings}, {"skipped", report.skipped()}}.dump(-1, ' ', false,
                                                                          Json::error_handler_t::replace);
}

void hear(const std::string& answer, Outcome& outcome) {
  const Json told = Json::parse(answer);
  for (const Json& finding : told.at("findings"))
    outcome.shortcomings.push_back({finding.at(0).get<std::string>(), finding.at(1).get<std::string>()});
  outcome.skipped = told.at("skipped").get<std::string>();
}

std::string sentence_of(const ExitStatus& ending, const std::string& step) {
  return (step.empty() ? "it" : step) + " " + ending.told;
}

/// Returns the violated rule. An exception and an exit violate rules of their own; any other crash is attributed to the
/// check.
Rule rule_of(const Check& check, Crash crash) {
  if (crash == Crash::Threw) return rules::kNoUnwinding;
  if (crash == Crash::Exited) return rules::kProcess;
  return check.rule;
}

Verdict verdict_of(const Check& check, const Outcome& outcome) {
  if (!outcome.shortcomings.empty()) return check.weight == Weight::Advice ? Verdict::Warned : Verdict::Failed;
  return outcome.skipped.empty() ? Verdict::Passed : Verdict::Skipped;
}

}  // namespace

Outcome run_check(const Check& check) {
  const ScratchFolder scratch;
  Steps steps;
  const ExitStatus ending = run_contained(check.limit, check.exit, steps, [&] {
    conformance::Report report;
    Bench bench{scratch.path(), steps, report};
    check.run(bench);
    return told(report);
  });
  Outcome outcome;
  outcome.took = ending.took;
  if (ending.answer) hear(*ending.answer, outcome);
  if (ending.crash != Crash::None) outcome.shortcomings.push_back({check.wanted, sentence_of(ending, steps.last())});
  outcome.rule = rule_of(check, ending.crash);
  outcome.verdict = verdict_of(check, outcome);
  if (outcome.shortcomings.empty()) return outcome;
  outcome.skipped.clear();
  outcome.printed = ending.printed;
  return outcome;
}

}  // namespace kbase::plugin_check
