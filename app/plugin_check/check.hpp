// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_check/rule.hpp"
#include "app/plugin_check/steps.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::plugin_check {

/// What a check uses in its process.
struct Bench {
  std::filesystem::path scratch;  ///< an empty folder for this check only
  Steps& steps;
  conformance::Report& report;
};

enum class Weight {
  Requirement,
  Advice,  ///< a failure is only a warning
};

/// How the process of a check ends after the check.
enum class Exit {
  AtOnce,   ///< without running any more plugin code
  Orderly,  ///< like a program: static destructors and exit handlers run
};

inline constexpr std::chrono::seconds kUsualLimit{10};
inline constexpr std::chrono::seconds kSlowLimit{60};

struct Check {
  std::string subject;  ///< "plugin", or a port id
  std::string name;     ///< a sentence in CamelCase: "CopiesItsInputs"
  std::string wanted;   ///< the rule in words; reported if the process ended before it found a violation
  Rule rule;
  std::function<void(Bench&)> run;
  std::chrono::milliseconds limit = kUsualLimit;
  Weight weight = Weight::Requirement;
  Exit exit = Exit::AtOnce;
  bool is_gate = false;  ///< if it fails, the following checks of its subject are skipped, because all would fail for
                         ///< the same reason
};

using Checks = std::vector<Check>;

enum class Verdict { Passed, Warned, Failed, Skipped };

struct Shortcoming {
  std::string wanted;
  std::string seen;
};

/// The outcome of a check.
struct Outcome {
  Verdict verdict = Verdict::Passed;
  std::vector<Shortcoming> shortcomings;
  Rule rule;            ///< rule that was violated: the check's own, or the one that the end of its process violates
  std::string skipped;  ///< reason, if the check was skipped
  std::string printed;  ///< end of the standard output and error of a failed check's process
  std::chrono::milliseconds took{0};
};

/// Runs the check in a separate process with a new scratch folder.
Outcome run_check(const Check& check);

}  // namespace kbase::plugin_check
