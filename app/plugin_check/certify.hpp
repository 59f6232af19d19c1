// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/plugin_check/report.hpp"
#include "app/plugin_check/target.hpp"
#include "domain/model/result.hpp"

namespace kbase::plugin_check {

/// Which checks are run. A pattern of the shell's kind (fnmatch) meets a check's name or SUBJECT.NAME.
struct Selection {
  std::string port;               ///< of one port alone; empty: of each that is offered
  std::vector<std::string> only;  ///< empty: all
  std::vector<std::string> skip;
};

/// Called when a check has come to its end, for who waits.
using Progress = std::function<void(const Result& result)>;

/// Checks a plugin. This process must have one thread; none of the plugin's code runs in it. InvalidArgument: no check
/// fits the selection, the plugin does not offer the port, or the given configuration does not fit its schema.
model::Result<Certificate> certify(const Target& target, const Selection& selection, const Progress& progress);

}  // namespace kbase::plugin_check
