// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "app/cli/command.hpp"
#include "app/config/version.hpp"

namespace kbase::cli {
namespace {

int check(const ConfigArguments& arguments) {
  const auto settings = load_settings(arguments);
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

CLI::App* add_action(CLI::App& group, const char* name, const char* description,
                     const std::shared_ptr<ConfigArguments>& arguments, Action& chosen,
                     int (*work)(const ConfigArguments&)) {
  CLI::App* command = group.add_subcommand(name, description);
  command->callback([arguments, &chosen, work] { chosen = [arguments, work] { return work(*arguments); }; });
  return command;
}

}  // namespace

void add_config(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* group = app.add_subcommand("config", "check and show the configuration");
  group->require_subcommand(1);
  add_config_options(*add_action(*group, "check", "say what is wrong with it, if anything", arguments, chosen, check),
                     *arguments);
  add_config_options(
      *add_action(*group, "print", "every value as it would be used, secrets hidden", arguments, chosen, print),
      *arguments);
  add_action(*group, "schema", "the JSON Schema of the configuration", arguments, chosen, print_schema);
}

void add_version(CLI::App& app, Action& chosen) {
  app.add_subcommand("version", "the program's version")->callback([&chosen] {
    chosen = [] {
      std::printf("kbase %s\n", std::string(config::kVersion).c_str());
      return kSuccess;
    };
  });
}

}  // namespace kbase::cli
