// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/settings.hpp"
#include "domain/base/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// Command line parsing. Wraps CLI11, which parses the words and prints the help: including its header adds thirteen
/// seconds to the compilation of a file.
namespace kbase::cli {

/// The work of the selected command, run after the whole command line was parsed. Returns an exit code.
using Action = std::function<int()>;

/// An option or positional argument of a command, for further configuration. Non-owning; valid for the lifetime of its
/// command line.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option& required(bool is_required = true);
  /// Each value must follow the option's name, so that a word after a value is not taken for another value.
  Option& one_at_a_time();
  Option& excludes(const char* other);
  /// Accepts integers from `first` to `last`.
  Option& between(unsigned first, unsigned last);
  /// The help shows the current value as the default.
  Option& with_default();

 private:
  CLI::Option& option_;
};

/// A command: its options and its action. The variables that options set must outlive the parsing. Non-owning; valid
/// for the lifetime of its command line.
class Command {
 public:
  Command(CLI::App& app, Action& chosen) : app_(app), chosen_(chosen) {}

  Command command(const char* name, const char* description);
  /// Adds a group of commands, one of which must be given.
  Command group(const char* name, const char* description);

  // `name` starts with "--", or is the name of a positional argument. `value_name` is the placeholder for the value in
  // the help.
  /// Value is std::string, unsigned, double, std::vector<std::string>, or an optional std::string, std::uint64_t or
  /// double.
  template <class Value>
  Option option(const char* name, Value& value, const char* description, const char* value_name = "TEXT");
  /// Accepts 0 to 100, with or without %. The help shows the current value.
  Option percentage(const char* name, unsigned& value, const char* description);
  /// Accepts one of `words` and passes it to `choose`.
  Option choice(const char* name, const std::vector<std::string>& words,
                std::function<void(const std::string& word)> choose, const char* description);
  void flag(const char* name, bool& value, const char* description);

  void set_action(Action action);
  /// Returns the words that may follow each command, by the words of the command: {"keys list", {"--json", ...}}.
  std::map<std::string, std::vector<std::string>> next_words() const;

  /// Passes all words after the command to `action` unparsed, including --help.
  void set_raw_action(std::function<int(const std::vector<std::string>& words)> action);

 private:
  CLI::App& app_;
  Action& chosen_;
};

/// The command line of a program whose first argument is a command.
class CommandLine {
 public:
  CommandLine(const char* program, const char* description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root();

  /// Parses the words and runs the selected command. Prints the help (kSuccess) and usage errors (kUsage) itself.
  int run(int count, const char* const* words);

 private:
  const std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

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
void add_accounts(Command root);
void add_insights(Command root);
void add_health(Command root);
void add_index(Command root);
void add_external(Command root);
void add_config(Command root);
void add_doctor(Command root);
void add_plugin(Command root);
void add_synonyms(Command root);
void add_version(Command root);
void add_completion(Command root);

/// Makes UTF-8 text from an upstream service safe for `stream`. On a terminal, each control character except tab and
/// line feed becomes U+FFFD, as it could control the terminal. Elsewhere the text is unchanged.
std::string terminal_safe(std::FILE* stream, std::string_view text);

}  // namespace kbase::cli
