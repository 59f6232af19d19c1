// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/certify.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace kbase::plugin_check {
namespace {

bool meets(const std::vector<std::string>& patterns, const Check& check) {
  const std::string full = check.subject + '.' + check.name;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), check.name.c_str(), 0) == 0 || ::fnmatch(pattern.c_str(), full.c_str(), 0) == 0;
  });
}

bool is_selected(const Selection& selection, const Check& check) {
  return (selection.only.empty() || meets(selection.only, check)) && !meets(selection.skip, check);
}

std::string ids_of(const std::vector<OfferedPort>& ports) {
  std::string ids;
  for (const OfferedPort& port : ports) ids += (ids.empty() ? "" : ", ") + std::string(port.access->id);
  return ids.empty() ? "no port that is known" : ids;
}

/// Keeps only the selected port, and validates the given configuration against the remaining schemas.
model::Status narrow(Description& plugin, const Target& target, const Selection& selection) {
  if (!selection.port.empty()) {
    const auto is_other = [&](const OfferedPort& port) { return port.access->id != selection.port; };
    const std::string offered = ids_of(plugin.ports);
    std::erase_if(plugin.ports, is_other);
    if (plugin.ports.empty())
      return model::invalid_argument("--port", "the plugin has no port " + selection.port + "; it offers " + offered);
  }
  if (!target.configuration) return {};
  for (const OfferedPort& port : plugin.ports) {
    const char* const schema = port.config_schema ? port.config_schema->c_str() : nullptr;
    if (!defects_of_schema(schema).empty()) continue;  // a check reports it
    const auto fits = configuration_for(schema, target.configuration, "/");
    if (fits) continue;
    return model::invalid_argument("--config",
                                   fits.error().message + " (in the schema of " + std::string(port.access->id) +
                                       (plugin.ports.size() > 1 ? "; --port checks another one alone)" : ")"));
  }
  return {};
}

Checks all_checks(const Target& target, const std::optional<Description>& plugin) {
  Checks checks = plugin_checks(target);
  if (!plugin) return checks;
  for (const OfferedPort& port : plugin->ports) {
    std::ranges::move(table_checks(target, *port.access), std::back_inserter(checks));
    std::ranges::move(suite_checks(target, *port.access), std::back_inserter(checks));
  }
  return checks;
}

Outcome not_tried(const Check& check, const Check& gate) {
  Outcome outcome;
  outcome.verdict = Verdict::Skipped;
  outcome.rule = check.rule;
  outcome.skipped = "not tried, because this failed: " + words_of(gate.name);
  return outcome;
}

}  // namespace

model::Result<Certificate> certify(const Target& target, const Selection& selection, const Progress& progress) {
  Certificate certificate{target.file, describe(target), {}};
  if (certificate.plugin)
    if (auto narrowed = narrow(*certificate.plugin, target, selection); !narrowed) return narrowed.error();
  std::optional<Check> shut;  // the gate check that failed
  for (const Check& check : all_checks(target, certificate.plugin)) {
    if (!is_selected(selection, check)) continue;
    const bool is_shut = shut && shut->subject == check.subject;
    certificate.results.push_back({check.subject, check.name, is_shut ? not_tried(check, *shut) : run_check(check)});
    const Result& result = certificate.results.back();
    if (check.is_gate && result.outcome.verdict == Verdict::Failed) shut = check;
    if (progress) progress(result);
  }
  if (certificate.results.empty()) return model::invalid_argument("--only", "no check has such a name");
  return certificate;
}

}  // namespace kbase::plugin_check
