// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/certify.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/port_driver.hpp"
#include "app/plugin_check/report.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_check {
namespace {

bool matches(const std::vector<std::string>& patterns, const Check& check) {
  const std::string full = check.subject + '.' + check.name;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), check.name.c_str(), 0) == 0 || ::fnmatch(pattern.c_str(), full.c_str(), 0) == 0;
  });
}

bool is_selected(const Selection& selection, const Check& check) {
  return (selection.only.empty() || matches(selection.only, check)) && !matches(selection.skip, check);
}

std::string ids_of(const std::vector<OfferedPort>& ports) {
  std::string ids;
  for (const OfferedPort& port : ports) ids += (ids.empty() ? "" : ", ") + std::string(port.driver->id);
  return ids.empty() ? "no known port" : ids;
}

/// Keeps only the selected port, and validates the given configuration against the remaining schemas.
Status narrow(Description& plugin, const Target& target, const Selection& selection) {
  if (!selection.port.empty()) {
    const auto is_other = [&](const OfferedPort& port) { return port.driver->id != selection.port; };
    const std::string offered = ids_of(plugin.ports);
    std::erase_if(plugin.ports, is_other);
    if (plugin.ports.empty())
      return invalid_argument("--port", "the plugin has no port " + selection.port + "; it offers " + offered);
  }
  if (!target.configuration) return {};
  for (const OfferedPort& port : plugin.ports) {
    const char* const schema = port.config_schema ? port.config_schema->c_str() : nullptr;
    if (!defects_of_schema(schema).empty()) continue;  // a check reports it
    const auto fits = configuration_for(schema, target.configuration, port.driver->id, "/");
    if (fits) continue;
    return invalid_argument("--config",
                            fits.error().message + " (in the schema of " + std::string(port.driver->id) +
                                (plugin.ports.size() > 1 ? "; give each port its own settings, under its id)" : ")"));
  }
  return {};
}

Checks all_checks(const Target& target, const std::optional<Description>& plugin) {
  Checks checks = file_checks(target);
  if (!plugin) return checks;
  for (const OfferedPort& port : plugin->ports) {
    std::ranges::move(table_checks(target, *port.driver), std::back_inserter(checks));
    std::ranges::move(suite_checks(target, *port.driver), std::back_inserter(checks));
  }
  return checks;
}

Outcome not_run(const Check& check, const Check& gate) {
  Outcome outcome;
  outcome.verdict = Verdict::Skipped;
  outcome.rule = check.rule;
  outcome.skipped = "not run, because this check failed: " + words_of(gate.name);
  return outcome;
}

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

Result<Certificate> certify(const Target& target, const Selection& selection, const Progress& progress) {
  Certificate certificate{target.file, describe(target), {}};
  if (certificate.plugin) KBASE_TRY(narrow(*certificate.plugin, target, selection));
  std::optional<Check> failed_gate;
  for (const Check& check : all_checks(target, certificate.plugin)) {
    if (!is_selected(selection, check)) continue;
    const bool is_blocked = failed_gate && failed_gate->subject == check.subject;
    certificate.results.push_back(
        {check.subject, check.name, is_blocked ? not_run(check, *failed_gate) : run_check(check)});
    const CheckResult& result = certificate.results.back();
    if (check.is_gate && result.outcome.verdict == Verdict::Failed) failed_gate = check;
    if (progress) progress(result);
  }
  if (certificate.results.empty()) return invalid_argument("--only", "no check has this name");
  return certificate;
}

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

Checks suite_checks(const Target& target, const PortDriver& port) {
  Checks checks;
  const auto suite = port.suite();
  for (std::size_t i = 0; i < suite.size(); ++i) {
    const auto run = [target, &port, i](Bench& bench) {
      const auto plugin = plugin_host::load_plugin(target.file, {});
      if (!bench.report.ok(plugin, "a server loads the plugin")) return;
      const char* const schema = plugin_host::start_of(plugin->table<void>(port.id)).config_schema;
      auto configuration = configuration_for(schema, target.configuration, port.id, bench.scratch);
      if (!bench.report.ok(configuration, "there is a configuration that fits config_schema")) return;
      const auto opened = port.open(*plugin, nullptr, *std::move(configuration));
      if (bench.report.ok(opened, "create succeeds")) (*opened)->run(i, bench.report);
    };
    checks.push_back({std::string(port.id),
                      std::string(suite[i].name),
                      words_of(suite[i].name),
                      {std::string(port.header), suite[i].about},
                      run,
                      kSlowLimit});
  }
  return checks;
}

}  // namespace kbase::plugin_check
