// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/config/settings.hpp"
#include "domain/model/result.hpp"

namespace CLI {
class App;
}

/// The command line: each command is one file that declares its options and does its work through the driving ports.
namespace kbase::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kUsage = 2,  ///< wrong usage or configuration
};

/// What every command that touches a store takes.
struct ConfigArguments {
  std::string file;               ///< --config FILE; empty: the built-in defaults
  std::vector<std::string> sets;  ///< --set path.to.key=value
};

/// What the chosen command does, to be run after the whole command line was read; returns an ExitCode.
using Action = std::function<int()>;

/// Adds --config and --set.
void add_config_options(CLI::App& command, ConfigArguments& arguments);

/// The settings, or the error said on standard error.
model::Result<config::Settings> load_settings(const ConfigArguments& arguments);

/// Says the error on standard error, as "kbase: ...", and returns kFailure, or kUsage for wrong arguments and
/// configuration.
int fail(const model::Error& error);
int fail_usage(const model::Error& error);

// One for each command; `chosen` becomes what it does.
void add_serve(CLI::App& app, Action& chosen);
void add_import(CLI::App& app, Action& chosen);
void add_export(CLI::App& app, Action& chosen);
void add_delete(CLI::App& app, Action& chosen);
void add_backup(CLI::App& app, Action& chosen);
void add_restore(CLI::App& app, Action& chosen);
void add_keys(CLI::App& app, Action& chosen);
void add_health(CLI::App& app, Action& chosen);
void add_index(CLI::App& app, Action& chosen);
void add_external(CLI::App& app, Action& chosen);
void add_external_llm(CLI::App& external, Action& chosen);
void add_config(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_plugin(CLI::App& app, Action& chosen);
void add_plugin_check(CLI::App& plugin, Action& chosen);
void add_version(CLI::App& app, Action& chosen);

}  // namespace kbase::cli
