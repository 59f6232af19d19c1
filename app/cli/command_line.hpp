// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The words of a command line and what they set. CLI11 reads them and writes the help; it stands behind these classes,
/// since every file that includes it takes thirteen seconds longer to compile.
namespace kbase::cli {

/// What the chosen command does, once the whole command line was read; returns an exit code.
using Action = std::function<int()>;

/// An option or a positional argument of a command, to be bound further. A loan from its command line.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option& required(bool is_required = true);
  /// Each value has the option's name before it, so that no word behind a value is taken for another one.
  Option& one_at_a_time();
  Option& excludes(const char* other);
  /// Whole numbers from `first` to `last`.
  Option& between(unsigned first, unsigned last);
  /// The help shows what the value is now.
  Option& with_default();

 private:
  CLI::Option& option_;
};

/// A command: its options, and what it does. What an option sets outlives the reading of the command line. A loan from
/// its command line.
class Command {
 public:
  Command(CLI::App& app, Action& chosen) : app_(app), chosen_(chosen) {}

  Command command(const char* name, const char* description);
  /// One of whose commands has to be chosen.
  Command group(const char* name, const char* description);

  // `name` begins with "--", or is that of a positional argument; `value_name` stands for a value in the help.
  /// Of std::string, unsigned, a vector of std::string, or an optional std::string, std::uint64_t or double.
  template <class Value>
  Option option(const char* name, Value& value, const char* description, const char* value_name = "TEXT");
  /// From 0 to 100, with % or without; the help shows the value.
  Option percentage(const char* name, unsigned& value, const char* description);
  /// One of `words`, which `choose` is told.
  Option choice(const char* name, const std::vector<std::string>& words,
                std::function<void(const std::string& word)> choose, const char* description);
  void flag(const char* name, bool& value, const char* description);

  void does(Action action);
  /// Every word behind the command is handed on unread, --help too.
  void hands_on(std::function<int(const std::vector<std::string>& words)> action);

 private:
  CLI::App& app_;
  Action& chosen_;
};

/// The command line of a program whose first word is a command.
class CommandLine {
 public:
  CommandLine(const char* program, const char* description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Command root();

  /// Reads the words and does what they say. kSuccess where they ask for help, kUsage where they are wrong; both are
  /// answered here.
  int run(int count, const char* const* words);

 private:
  const std::unique_ptr<CLI::App> app_;
  Action chosen_;
};

}  // namespace kbase::cli
