// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// Rules of the codebase that a compiler does not check: which module may include which, and what each file must or
/// must not contain.
namespace kbase::tests {

/// A violation of a rule, printed in the format of a compiler error.
struct Violation {
  std::string file;      ///< relative to the top of the codebase
  std::size_t line = 0;  ///< from 1; 0: the whole file
  std::string broken;

  std::string text() const { return file + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + broken; }
};

/// Checks every source and CMake file of the codebase at `top` and returns the violations, sorted by path. The rules
/// are the tables in dependency_rules.cpp. Throws std::runtime_error if a file cannot be read.
std::vector<Violation> violations_of(const std::filesystem::path& top);

}  // namespace kbase::tests
