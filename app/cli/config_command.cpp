// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "app/cli/command_line.hpp"
#include "app/config/version.hpp"

namespace kbase::cli {
namespace {

int check(const ConfigArguments& arguments) {
  const auto settings = load_settings_to_serve(arguments);
  if (!settings) return fail_usage(settings.error());
  std::puts("the configuration is valid");
  return kSuccess;
}

int print(const ConfigArguments& arguments) {
  const auto settings = load_settings(arguments);
  if (!settings) return fail_usage(settings.error());
  std::fputs(config::print(*settings).c_str(), stdout);
  return kSuccess;
}

int print_schema(const ConfigArguments&) {
  std::puts(config::schema_text().c_str());
  return kSuccess;
}

Command add_action(Command group, const char* name, const char* description,
                   const std::shared_ptr<ConfigArguments>& arguments, int (*work)(const ConfigArguments&)) {
  Command command = group.command(name, description);
  command.set_action([arguments, work] { return work(*arguments); });
  return command;
}

}  // namespace

void add_config(Command root) {
  const auto arguments = std::make_shared<ConfigArguments>();
  const Command group = root.group("config", "check and show the configuration");
  Command checked = add_action(group, "check", "check the configuration and report its errors", arguments, check);
  add_config_options(checked, *arguments);
  Command printed =
      add_action(group, "print", "print all settings with their defaults; secrets are hidden", arguments, print);
  add_config_options(printed, *arguments);
  add_action(group, "schema", "print the JSON Schema of the configuration", arguments, print_schema);
}

void add_version(Command root) {
  root.command("version", "print the version of the program").set_action([] {
    std::printf("kbase %s\n", std::string(config::kVersion).c_str());
    return kSuccess;
  });
}

}  // namespace kbase::cli
