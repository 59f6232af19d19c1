// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// The rules of the house that a compiler does not know: who may include whom, and what no file may say or lack.
namespace kbase::tests {

/// A place that breaks a rule, as a compiler would print it.
struct Violation {
  std::string file;      ///< from the top of the house
  std::size_t line = 0;  ///< from 1; 0: the file as a whole
  std::string broken;

  std::string text() const { return file + (line == 0 ? "" : ":" + std::to_string(line)) + ": " + broken; }
};

/// Reads every source and CMake file of the house at `top` and gives what breaks a rule, in the order of the files'
/// paths. The rules are the tables of house_rules.cpp. Throws std::runtime_error where a file cannot be read.
std::vector<Violation> violations_of(const std::filesystem::path& top);

}  // namespace kbase::tests
