// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/child_process.hpp"

namespace kbase::tests {
namespace {

constexpr const char* kGolden = KBASE_HEADER_TESTS "/layout.txt";

constexpr const char* kWhatToDo =
    "\n\nA plugin that was built before this change reads the old layout. By the compatibility promise (docs/plugins/"
    "compatibility.md)\n"
    "a struct grows at its end alone, and nothing else moves or changes its value. If lines were only added, and a\n"
    "struct's size grew with them: raise KB_ABI_MINOR, guard the new members with KB_HAS, and write the new layout "
    "with\n"
    "    build/tests/plugins/header/kbase_header_layout > tests/plugins/header/layout.txt\n"
    "    tests/plugins/earlier/keep.sh\n"
    "If a line changed or went, put it back and make a new port id instead (\"kbase.cache/2\").\n";

std::string text_of(std::istream&& in) {
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> printed() {
  const Outcome outcome = run_program({{KBASE_HEADER_LAYOUT}, {}, {}});
  if (outcome.exit_code != 0) throw std::runtime_error(outcome.errors);
  return lines_of(outcome.output);
}

/// Splits each line into name and value: "kb_view.data" -> "offset 0 size 8".
std::map<std::string, std::string> by_name(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> values;
  for (const std::string& line : lines) values[line.substr(0, line.find(' '))] = line.substr(line.find(' ') + 1);
  return values;
}

/// Describes each line that changed.
std::string differences(const std::map<std::string, std::string>& before,
                        const std::map<std::string, std::string>& now) {
  std::string text;
  for (const auto& [name, value] : before) {
    const auto found = now.find(name);
    if (found == now.end()) text += "\n  gone:    " + name + " (was " + value + ")";
    if (found != now.end() && found->second != value)
      text += "\n  changed: " + name + " from " + value + " to " + found->second;
  }
  for (const auto& [name, value] : now)
    if (!before.contains(name)) text += "\n  new:     " + name + " (" + value + ")";
  return text;
}

TEST(PluginHeaderLayout, IsAsItWas) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "layout.txt is of x86-64";
#endif
  const auto golden = by_name(lines_of(text_of(std::ifstream(kGolden))));
  const auto now = by_name(printed());
  EXPECT_TRUE(now == golden) << "The plugin headers changed what crosses the boundary:" << differences(golden, now)
                             << kWhatToDo;
}

/// A padding hole could be filled by a later member without changing any offset, and would leak previous memory
/// content.
TEST(PluginHeaderLayout, EveryByteOfAStructIsAMembers) {
  std::string name;
  std::size_t size = 0;
  std::size_t end = 0;
  const auto expect_whole = [&] {
    EXPECT_EQ(end, size) << name << " has a hole at its end, or a member that ports/definitions does not have";
  };
  const std::regex structure(R"((kb_\w+) size (\d+))");
  const std::regex member(R"((kb_\w+\.\w+) offset (\d+) size (\d+))");
  std::smatch match;
  for (const std::string& line : printed()) {
    if (std::regex_match(line, match, structure)) {
      expect_whole();
      name = match[1];
      size = std::stoul(match[2]);
      end = 0;
    } else if (std::regex_match(line, match, member)) {
      EXPECT_EQ(std::stoul(match[2]), end)
          << "a hole before " << match[1] << ", or a member that ports/definitions does not have";
      end = std::stoul(match[2]) + std::stoul(match[3]);
    }
  }
  expect_whole();
  EXPECT_NE(size, 0U) << "nothing was printed";
}

/// Names that the headers define, found by a pattern whose first group is the name.
std::vector<std::string> defined(const char* pattern) {
  const std::regex definition(pattern, std::regex::ECMAScript | std::regex::multiline);
  std::vector<std::string> names;
  for (const auto& header : std::filesystem::directory_iterator(KBASE_HEADERS "/kbase")) {
    const std::string text = text_of(std::ifstream(header.path()));
    for (auto it = std::sregex_iterator(text.begin(), text.end(), definition); it != std::sregex_iterator(); ++it)
      names.push_back((*it)[1]);
  }
  return names;
}

TEST(PluginHeaderLayout, ListsEveryStructAndConstant) {
  const auto listed = by_name(printed());
  const auto expect_listed = [&](const std::vector<std::string>& names) {
    EXPECT_FALSE(names.empty());
    for (const std::string& name : names)
      EXPECT_TRUE(listed.contains(name)) << name << " is missing in layout.c or in ports/definitions";
  };
  expect_listed(defined(R"(^typedef struct (kb_\w+) \{)"));
  expect_listed(defined(R"re(^#define (KB_(?!ABI_|NEEDS_)[A-Z0-9_]+) ["(0-9IU])re"));
}

}  // namespace
}  // namespace kbase::tests
