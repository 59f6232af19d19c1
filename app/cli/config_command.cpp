// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "app/cli/command.hpp"
#include "app/config/version.hpp"

namespace kbase::cli {
namespace {

int check(const ConfigArguments& arguments) {
  const auto settings = load_settings_to_serve(arguments);
  if (!settings) return fail_usage(settings.error());
  std::puts("the configuration is sound");
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
  command.does([arguments, work] { return work(*arguments); });
  return command;
}

}  // namespace

void add_config(Command root) {
  const auto arguments = std::make_shared<ConfigArguments>();
  const Command group = root.group("config", "check and show the configuration");
  Command checked = add_action(group, "check", "say what is wrong with it, if anything", arguments, check);
  add_config_options(checked, *arguments);
  Command printed = add_action(group, "print", "every value as it would be used, secrets hidden", arguments, print);
  add_config_options(printed, *arguments);
  add_action(group, "schema", "the JSON Schema of the configuration", arguments, print_schema);
}

void add_version(Command root) {
  root.command("version", "the program's version").does([] {
    std::printf("kbase %s\n", std::string(config::kVersion).c_str());
    return kSuccess;
  });
}

}  // namespace kbase::cli
