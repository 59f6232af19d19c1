// SPDX-License-Identifier: Apache-2.0
// Writes the tables of raw cases as seeds for request_parser_fuzz, one file per case. Usage: request_parser_seeds
// FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/edge/raw_cases.hpp"

int main(int count, char** arguments) {
  constexpr std::size_t kMost = 4096;  // longer cases only slow the fuzzer down
  if (count != 2) {
    std::fputs("usage: request_parser_seeds FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder);
  for (const kbase::tests::RawCase& raw : kbase::tests::all_raw_cases()) {
    const std::string bytes = raw.bytes();
    if (bytes.size() <= kMost) std::ofstream(folder / raw.name, std::ios::binary) << '\x20' << bytes;
  }
  return 0;
}
