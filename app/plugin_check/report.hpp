// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_check/check.hpp"

namespace kbase::plugin_check {

/// A plugin's descriptor, read in a separate process; no plugin code runs in the checker's process.
struct OfferedPort {
  const PortDriver* driver = nullptr;
  std::optional<std::string> config_schema;
};
struct Description {
  std::string id;
  std::string version;
  std::string vendor;
  std::string license;
  std::vector<OfferedPort> ports;
};

/// One check and its outcome.
struct CheckResult {
  std::string subject;
  std::string name;
  Outcome outcome;
};

/// Contents of a report.
struct Certificate {
  std::filesystem::path file;
  std::optional<Description> plugin;  ///< nullopt: the plugin could not be loaded
  std::vector<CheckResult> results;   ///< grouped by subject

  std::size_t count(Verdict verdict) const;
  bool is_passed() const { return count(Verdict::Failed) == 0; }
};

/// Converts "ReturnsWhatWasPutOrMisses" to "returns what was put or misses".
std::string words_of(std::string_view name);

enum class Colour { None, Ansi };

/// Report for people: the checks of each subject and, for each failure, what was expected, what was observed, and the
/// rule of the header.
std::string text_report(const Certificate& certificate, Colour colour);

/// Report as one JSON object; its members are described in docs/plugins.
std::string json_report(const Certificate& certificate);

/// Report as JUnit XML for continuous integration: a testsuite for each subject, a testcase for each check. A warning
/// is a testcase that passed, with the finding as its output.
std::string junit_report(const Certificate& certificate);

}  // namespace kbase::plugin_check
