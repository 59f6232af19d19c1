// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/command.hpp"
#include "app/plugin_host/plugin_search.hpp"

namespace kbase::cli {
namespace {

/// Replaces this process by the checker, whose exit code becomes the command's. The checker is a separate program, so
/// that the server does not contain its checks.
int become_checker(std::vector<std::string> arguments) {
  const std::filesystem::path checker = plugin_host::own_program().parent_path() / "kbase-plugin-check";
  arguments.insert(arguments.begin(), checker.string());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(checker.c_str(), pointers.data());
  return fail_usage({model::ErrorCode::Unavailable,
                     "cannot run " + checker.string() + ": " + std::strerror(errno) +
                         "; it comes with what plugins are built with, on Debian the package kbase-plugin-dev",
                     {},
                     {},
                     {}});
}

}  // namespace

void add_plugin_check(Command group) {
  group.command("check", "hold a plugin to the rules of <kbase/plugin.h>").hands_on(become_checker);
}

}  // namespace kbase::cli
