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

/// What a check saw as the text that its process sends. Bytes that are no UTF-8 are replaced: they are a plugin's.
std::string told(const conformance::Report& report) {
  Json findings = Json::array();
  std::set<std::string_view> wanted;  // once each: a check that asks a thousand times is told once
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

/// A crash may have any cause; an exception and an exit are against a rule of their own, whatever was tried.
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
