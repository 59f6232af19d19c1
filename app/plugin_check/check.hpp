// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_check/configuration.hpp"
#include "app/plugin_check/contained.hpp"
#include "plugins/conformance/suite.hpp"

namespace kbase::plugin_check {

class PortDriver;

/// The plugin to check.
struct Target {
  std::filesystem::path file;  ///< absolute
  std::optional<GivenConfiguration> configuration;
};

/// Where the plugin interface states the rule that a check tests.
struct Rule {
  std::string header;  ///< "kbase/cache.h"
  std::string about;   ///< the function, type or numbered rule in it: "kb_cache_v1.get", "rule 4 of the headers"
};

/// The rules of kbase/base.h that apply to every plugin.
namespace rules {

inline constexpr const char* kHeader = "kbase/base.h";

inline constexpr const char* kStructsGrow = "rule 2 of the headers";
inline constexpr const char* kArguments = "rule 4 of the headers";
inline constexpr const char* kNoUnwinding = "rule 5 of the headers";
inline constexpr const char* kViews = "rule 6 of the headers";
inline constexpr const char* kProcess = "rule 7 of the headers";
inline constexpr const char* kStopped = "KB_STOPPED";
inline constexpr const char* kNoMemory = "KB_NO_MEMORY";
inline constexpr const char* kExplain = "kb_host.explain";
inline constexpr const char* kCancelled = "kb_host.cancelled";
inline constexpr const char* kDeadline = "kb_call.deadline_ns";
inline constexpr const char* kSchema = "config_schema of every table";
inline constexpr const char* kCreate = "create of every table";
inline constexpr const char* kDestroy = "destroy of every table";
inline constexpr const char* kDescriptor = "kb_plugin";
inline constexpr const char* kGetPort = "kb_plugin.get_port";
inline constexpr const char* kEntry = "kb_plugin_entry";
inline constexpr const char* kNote = "KB_NOTE";

}  // namespace rules

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

inline constexpr std::chrono::seconds kUsualLimit{10};
inline constexpr std::chrono::seconds kSlowLimit{60};

struct Check {
  std::string subject;   ///< "plugin", or a port id
  std::string name;      ///< a sentence in CamelCase: "CopiesItsInputs"
  std::string expected;  ///< the rule in words; reported if the process ended before it found a violation
  Rule rule;
  std::function<void(Bench&)> run;
  std::chrono::milliseconds limit = kUsualLimit;
  Weight weight = Weight::Requirement;
  Exit exit = Exit::AtOnce;
  bool is_gate = false;  ///< if it fails, the following checks of its subject are skipped, because all would fail for
                         ///< the same reason
};

using Checks = std::vector<Check>;

/// Checks of the plugin as a file and as a shared object.
Checks file_checks(const Target& target);

/// Checks that apply to the table of any port: of its instances' lives, and of use under adverse conditions.
Checks table_checks(const Target& target, const PortDriver& port);

/// The contract suite of the port, run through the server's proxies.
Checks suite_checks(const Target& target, const PortDriver& port);

enum class Verdict { Passed, Warned, Failed, Skipped };

struct Violation {
  std::string expected;
  std::string observed;
};

/// The outcome of a check.
struct Outcome {
  Verdict verdict = Verdict::Passed;
  std::vector<Violation> violations;
  Rule rule;            ///< rule that was violated: the check's own, or the one that the end of its process violates
  std::string skipped;  ///< reason, if the check was skipped
  std::string printed;  ///< end of the standard output and error of a failed check's process
  std::chrono::milliseconds took{0};
};

/// Runs the check in a separate process with a new scratch folder.
Outcome run_check(const Check& check);

}  // namespace kbase::plugin_check
