// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/target.hpp"

namespace kbase::plugin_check {

/// One check and what came of it.
struct Result {
  std::string subject;
  std::string name;
  Outcome outcome;
};

/// All that a report tells.
struct Certificate {
  std::filesystem::path file;
  std::optional<Description> plugin;  ///< nullopt: it could not be loaded
  std::vector<Result> results;        ///< those of one subject side by side

  std::size_t count(Verdict verdict) const;
  bool is_passed() const { return count(Verdict::Failed) == 0; }
};

/// "returns what was put or misses" of "ReturnsWhatWasPutOrMisses".
std::string words_of(std::string_view name);

enum class Colour { None, Ansi };

/// For people: what was tried of each subject, and of a failure what was wanted, what was seen and which line of the
/// header says so.
std::string text_report(const Certificate& certificate, Colour colour);

/// One object; its members are described in docs/plugins and only grow.
std::string json_report(const Certificate& certificate);

/// As the tools of continuous integration read it: a testsuite for each subject, a testcase for each check. A warning
/// is a testcase that passed, with what was seen as its output.
std::string junit_report(const Certificate& certificate);

}  // namespace kbase::plugin_check
