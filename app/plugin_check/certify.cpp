// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/certify.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>

#include "app/plugin_check/port_driver.hpp"
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

}  // namespace kbase::plugin_check
