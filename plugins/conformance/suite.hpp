// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/base/result.hpp"

/// The contract suites: checks that every implementation of a port must pass. They are plain functions over the port,
/// so that the project's tests and the plugin checker run the same checks.
namespace kbase::conformance {

/// A source line of a check. Replaces std::source_location, which Clang 14 does not support with libstdc++.
struct SourceLine {
  const char* file;
  int line;

  static constexpr SourceLine current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// A violation that a check found.
struct Finding {
  std::string expected;  ///< the rule from the header of the port
  std::string observed;
  SourceLine where;
};

/// Records the violations that one check finds. Not thread-safe.
class Report {
 public:
  /// Records a violation of the rule `expected` if `holds` is false. `observed` describes what happened instead.
  /// Returns `holds`.
  bool expect(bool holds, std::string_view expected, std::string_view observed = {},
              SourceLine where = SourceLine::current()) {
    if (!holds) findings_.push_back({std::string(expected), std::string(observed), where});
    return holds;
  }

  template <class A, class B>
  bool equal(const A& actual, const B& wanted, std::string_view expected, SourceLine where = SourceLine::current()) {
    if (actual == wanted) return true;
    return expect(false, expected, "got " + text_of(actual) + ", not " + text_of(wanted), where);
  }

  /// Expects the call to succeed.
  template <class T>
  bool ok(const Result<T>& result, std::string_view expected, SourceLine where = SourceLine::current()) {
    return expect(result.has_value(), expected, result ? std::string() : describe(result.error()), where);
  }

  /// Expects the call to fail with `code`.
  template <class T>
  bool fails(const Result<T>& result, ErrorCode code, std::string_view expected,
             SourceLine where = SourceLine::current()) {
    if (result.has_value()) return expect(false, expected, "it succeeded", where);
    return expect(result.error().code == code, expected, describe(result.error()), where);
  }

  /// Marks the rest of the check as not applicable to this implementation. `why` gives the reason, a declared
  /// capability.
  void skip(std::string_view why) { skipped_ = why; }

  const std::vector<Finding>& findings() const { return findings_; }
  const std::string& skipped() const { return skipped_; }

 private:
  static std::string describe(const Error& error) {
    return std::string(name_of(error.code)) + ": " + error.message +
           (error.detail.empty() ? "" : " (" + error.detail + ")");
  }
  static std::string text_of(std::string_view value) { return '"' + std::string(value) + '"'; }
  template <class T>
  requires requires(T value) { std::to_string(value); }
  static std::string text_of(T value) { return std::to_string(value); }
  template <class T>
  requires(!std::is_convertible_v<T, std::string_view> &&
           !requires(T value) { std::to_string(value); }) static std::string text_of(const T&) {
    return "another value";
  }

  std::vector<Finding> findings_;
  std::string skipped_;
};

/// One check of a suite. `Fixture` provides a new instance of the port and its environment.
template <class Fixture> struct Check {
  std::string_view name;   ///< a sentence in CamelCase, such as "ReturnsTheItemThatWasPut"
  std::string_view about;  ///< what the C header's rule is about: a function of the port's table ("get"), a type, a
                           ///< member or a constant ("kb_hit.excerpt"); empty: the port as a whole
  void (*run)(Fixture& fixture, Report& report);
};

template <class Fixture> using Suite = std::vector<Check<Fixture>>;

}  // namespace kbase::conformance
