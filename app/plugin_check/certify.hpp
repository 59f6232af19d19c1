// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/report.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_check {

/// Reads the descriptor in a separate process. nullopt: a server would not load the plugin; the checks report why.
std::optional<Description> describe(const Target& target);

/// Selects the checks to run. A pattern (fnmatch(3)) is matched against a check's name and against SUBJECT.NAME.
struct Selection {
  std::string port;               ///< only this port; empty: every port offered
  std::vector<std::string> only;  ///< empty: all
  std::vector<std::string> skip;
};

/// Called after each check, for a progress display.
using Progress = std::function<void(const CheckResult& result)>;

/// Checks a plugin. This process must have exactly one thread; no plugin code runs in it. Error: InvalidArgument if no
/// check matches the selection, the plugin does not offer the port, or the given configuration does not fit its schema.
Result<Certificate> certify(const Target& target, const Selection& selection, const Progress& progress);

}  // namespace kbase::plugin_check
