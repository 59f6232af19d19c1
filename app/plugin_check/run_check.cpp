// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "app/plugin_check/check.hpp"

namespace kbase::plugin_check {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A new empty folder, removed on destruction.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "kbase-plugin-check-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "making a folder like " + pattern);
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Serializes a check's findings for the pipe. Invalid UTF-8 from the plugin is replaced.
std::string serialize(const conformance::Report& report) {
  Json findings = Json::array();
  std::set<std::string_view> expected;  // each violated rule once, even if a check tests it a thousand times
  for (const conformance::Finding& finding : report.findings())
    if (expected.insert(finding.expected).second) findings.push_back({finding.expected, finding.observed});
  return Json{{"findings", findings}, {"skipped", report.skipped()}}.dump(-1, ' ', false,
                                                                          Json::error_handler_t::replace);
}

void parse(const std::string& text, Outcome& outcome) {
  const Json json = Json::parse(text);
  for (const Json& finding : json.at("findings"))
    outcome.violations.push_back({finding.at(0).get<std::string>(), finding.at(1).get<std::string>()});
  outcome.skipped = json.at("skipped").get<std::string>();
}

/// Returns the violated rule. An exception and an exit violate rules of their own; any other crash is attributed to the
/// check.
Rule rule_of(const Check& check, Crash crash) {
  if (crash == Crash::Threw) return {rules::kHeader, rules::kNoUnwinding};
  if (crash == Crash::Exited) return {rules::kHeader, rules::kProcess};
  return check.rule;
}

Verdict verdict_of(const Check& check, const Outcome& outcome) {
  if (!outcome.violations.empty()) return check.weight == Weight::Advice ? Verdict::Warned : Verdict::Failed;
  return outcome.skipped.empty() ? Verdict::Passed : Verdict::Skipped;
}

}  // namespace

Outcome run_check(const Check& check) {
  const ScratchFolder scratch;
  Steps steps;
  const ExitStatus exit = run_contained(check.limit, check.exit, steps, [&] {
    conformance::Report report;
    Bench bench{scratch.path(), steps, report};
    check.run(bench);
    return serialize(report);
  });
  Outcome outcome;
  outcome.took = exit.took;
  if (exit.answer) parse(*exit.answer, outcome);
  if (exit.crash != Crash::None) {
    const std::string step = steps.last();
    outcome.violations.push_back({check.expected, (step.empty() ? "it" : step) + " " + exit.description});
  }
  outcome.rule = rule_of(check, exit.crash);
  outcome.verdict = verdict_of(check, outcome);
  if (outcome.violations.empty()) return outcome;
  outcome.skipped.clear();
  outcome.printed = exit.printed;
  return outcome;
}

}  // namespace kbase::plugin_check
