// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_line.hpp"
#include "app/config/settings.hpp"
#include "domain/base/result.hpp"

/// The commands. Each is one file that declares its options and works through the driving ports.
namespace kbase::cli {

enum ExitCode : int {
  kSuccess = 0,
  kFailure = 1,
  kUsage = 2,  ///< wrong usage or configuration
};

/// Options of every command that opens a store.
struct ConfigArguments {
  std::string file;               ///< --config FILE; empty: the built-in defaults
  std::vector<std::string> sets;  ///< --set path.to.key=value
};

/// Adds --config and --set.
void add_config_options(Command& command, ConfigArguments& arguments);

Result<config::Settings> load_settings(const ConfigArguments& arguments);

/// Loads the settings to start a server: also checks files that the settings refer to.
Result<config::Settings> load_settings_to_serve(const ConfigArguments& arguments);

/// Formats an error: its message, and in parentheses its detail if that adds information.
std::string text_of(const Error& error);

/// Appends "; `hint`" to the message if the error is about `parameter`. For hints that name command line options.
Error with_hint(Error error, std::string_view parameter, std::string_view hint);

/// Print the error to standard error as "kbase: ...". `fail` returns kFailure; `fail_usage` returns kUsage, for invalid
/// arguments and configuration.
int fail(const Error& error);
int fail_usage(const Error& error);

// Each adds one command to `root` or to the given group.
void add_serve(Command root);
void add_import(Command root);
void add_export(Command root);
void add_delete(Command root);
void add_backup(Command root);
void add_restore(Command root);
void add_keys(Command root);
void add_health(Command root);
void add_index(Command root);
void add_external(Command root);
void add_config(Command root);
void add_doctor(Command root);
void add_plugin(Command root);
void add_version(Command root);

/// Makes UTF-8 text from an upstream service safe for `stream`. On a terminal, each control character except tab and
/// line feed becomes U+FFFD, as it could control the terminal. Elsewhere the text is unchanged.
std::string terminal_safe(std::FILE* stream, std::string_view text);

}  // namespace kbase::cli
