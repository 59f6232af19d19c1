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

/// What a check works with in its process.
struct Bench {
  std::filesystem::path scratch;  ///< an empty folder of this check alone
  Steps& steps;
  conformance::Report& report;
};

enum class Weight {
  Requirement,
  Advice,  ///< wanting it is a warning
};

/// How the process of a check ends once the check is done.
enum class Exit {
  AtOnce,   ///< without running anything more of the plugin's
  Orderly,  ///< as a program does: static destructors and exit handlers run
};

inline constexpr std::chrono::seconds kUsualLimit{10};
inline constexpr std::chrono::seconds kSlowLimit{60};

struct Check {
  std::string subject;  ///< "plugin", or the id of a port
  std::string name;     ///< a sentence in CamelCase: "CopiesItsInputs"
  std::string wanted;   ///< the rule in words, told where the process did not live to find what was wanting
  Rule rule;
  std::function<void(Bench&)> run;
  std::chrono::milliseconds limit = kUsualLimit;
  Weight weight = Weight::Requirement;
  Exit exit = Exit::AtOnce;
  bool is_gate = false;  ///< where it fails, what follows of its subject is not tried: all would tell the same
};

using Checks = std::vector<Check>;

enum class Verdict { Passed, Warned, Failed, Skipped };

struct Shortcoming {
  std::string wanted;
  std::string seen;
};

/// What came of a check.
struct Outcome {
  Verdict verdict = Verdict::Passed;
  std::vector<Shortcoming> shortcomings;
  Rule rule;            ///< of the shortcomings: the check's, or what the way its process ended is against
  std::string skipped;  ///< why, where it was
  std::string printed;  ///< the end of what the process of a failed check wrote to standard output and error
  std::chrono::milliseconds took{0};
};

/// Runs the check in a process of its own, with a new folder as its scratch.
Outcome run_check(const Check& check);

}  // namespace kbase::plugin_check
