// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.hpp"

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "app/composition/backends.hpp"
#include "app/composition/configured_files.hpp"
#include "domain/base/similar_words.hpp"
#include "domain/base/text.hpp"

namespace kbase::cli {
namespace {

std::string without_percent(std::string& text) {
  if (!text.empty() && text.back() == '%') text.pop_back();
  return {};
}

/// Returns the words after the program name, with `--version` and `help COMMAND` replaced by their equivalents here.
std::vector<std::string> translated(int count, const char* const* words) {
  std::vector<std::string> own(words + std::min(count, 1), words + count);
  if (own.empty()) return own;
  if (own.front() == "--version") own.front() = "version";
  if (own.front() == "help") {
    own.erase(own.begin());
    own.emplace_back("--help");
  }
  return own;
}

/// Returns "; did you mean 'keys list'?"; empty: no command of the group has a similar name.
std::string suggestion(const CLI::App& group, const std::string& path, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* each : group.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(each->get_name());
  const std::string meant = nearest(word, names);
  return meant.empty() ? meant : "; did you mean '" + path + meant + "'?";
}

/// Returns the error for a word that is in the position of a command but is not one; empty: all commands exist.
std::string unknown_command(const CLI::App* group, const std::vector<std::string>& words) {
  std::string path;
  for (const std::string& word : words) {
    if (group->get_require_subcommand_min() == 0 || word.starts_with('-')) break;
    const auto found = group->get_subcommands([&](const CLI::App* each) { return each->check_name(word); });
    if (found.empty()) return "there is no command '" + path + word + "'" + suggestion(*group, path, word);
    path += word + ' ';
    group = found.front();
  }
  return {};
}

int fail_parsing(const std::string& message) {
  std::fprintf(stderr, "kbase: %s\nRun with --help for more information.\n", message.c_str());
  return kUsage;
}

config::LoadOptions load_options(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = composition::load_plugin_config;
  return options;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ an option

Option& Option::required(bool is_required) {
  option_.required(is_required);
  return *this;
}

Option& Option::one_at_a_time() {
  option_.allow_extra_args(false);
  return *this;
}

Option& Option::excludes(const char* other) {
  option_.excludes(other);
  return *this;
}

Option& Option::between(unsigned first, unsigned last) {
  option_.check(CLI::Range(first, last));
  return *this;
}

Option& Option::with_default() {
  option_.capture_default_str();
  return *this;
}

// ------------------------------------------------------------------------------------------------ a command

Command Command::command(const char* name, const char* description) {
  return {*app_.add_subcommand(name, description), chosen_};
}

Command Command::group(const char* name, const char* description) {
  CLI::App& group = *app_.add_subcommand(name, description);
  group.require_subcommand(1);
  return {group, chosen_};
}

template <class Value>
Option Command::option(const char* name, Value& value, const char* description, const char* value_name) {
  return Option(*app_.add_option(name, value, description)->type_name(value_name));
}

template Option Command::option(const char*, std::string&, const char*, const char*);
template Option Command::option(const char*, unsigned&, const char*, const char*);
template Option Command::option(const char*, std::vector<std::string>&, const char*, const char*);
template Option Command::option(const char*, std::optional<std::string>&, const char*, const char*);
template Option Command::option(const char*, std::optional<std::uint64_t>&, const char*, const char*);
template Option Command::option(const char*, double&, const char*, const char*);
template Option Command::option(const char*, std::optional<double>&, const char*, const char*);

Option Command::percentage(const char* name, unsigned& value, const char* description) {
  CLI::Option* const option = app_.add_option(name, value, description);
  option->transform(CLI::Validator(without_percent, ""))->check(CLI::Range(0, 100))->type_name("PERCENT");
  option->default_str(std::to_string(value) + "%");
  return Option(*option);
}

Option Command::choice(const char* name, const std::vector<std::string>& words,
                       std::function<void(const std::string& word)> choose, const char* description) {
  return Option(*app_.add_option_function<std::string>(name, std::move(choose), description)
                     ->check(CLI::IsMember(words).description(""))
                     ->type_name(CLI::detail::join(words, "|")));
}

namespace {

void add_next_words(const CLI::App& app, const std::string& command,
                    std::map<std::string, std::vector<std::string>>& next) {
  std::vector<std::string>& words = next[command];
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    words.push_back(each->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    add_next_words(*each, command + (command.empty() ? "" : " ") + each->get_name(), next);
}

}  // namespace

std::map<std::string, std::vector<std::string>> Command::next_words() const {
  std::map<std::string, std::vector<std::string>> next;
  add_next_words(app_, "", next);
  return next;
}

void Command::flag(const char* name, bool& value, const char* description) { app_.add_flag(name, value, description); }

void Command::set_action(Action action) {
  app_.callback([&chosen = chosen_, action = std::move(action)] { chosen = action; });
}

void Command::set_raw_action(std::function<int(const std::vector<std::string>&)> action) {
  app_.prefix_command();
  app_.set_help_flag();
  app_.callback([&app = app_, &chosen = chosen_, action = std::move(action)] {
    chosen = [words = app.remaining(), action] { return action(words); };
  });
}

// ------------------------------------------------------------------------------------------------ the program

CommandLine::CommandLine(const char* program, const char* description)
    : app_(std::make_unique<CLI::App>(description, program)) {
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::root() { return {*app_, chosen_}; }

int CommandLine::run(int count, const char* const* words) {
  std::vector<std::string> own = translated(count, words);
  if (const std::string wrong = unknown_command(app_.get(), own); !wrong.empty()) return fail_parsing(wrong);
  std::reverse(own.begin(), own.end());  // CLI11 expects reverse order
  try {
    app_->parse(own);
  } catch (const CLI::ExtrasError&) {
    return fail_parsing("unexpected argument: " + CLI::detail::join(own, " "));  // the parser leaves the unexpected
                                                                                 // words there
  } catch (const CLI::Success& success) {
    return app_->exit(success);
  } catch (const CLI::ParseError& error) {
    return fail_parsing(error.what());
  }
  const int code = chosen_();
  if (code != kSuccess || (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)) return code;
  std::fprintf(stderr, "kbase: cannot write to standard output: %s\n", std::generic_category().message(errno).c_str());
  return kFailure;
}

void add_config_options(Command& command, ConfigArguments& arguments) {
  command.option("--config", arguments.file, "the configuration file (YAML); default: the built-in defaults", "FILE");
  command.option("--set", arguments.sets, "set one value of the configuration; repeatable", "PATH.TO.KEY=VALUE")
      .one_at_a_time();
}

Result<config::Settings> load_settings(const ConfigArguments& arguments) {
  return config::load(load_options(arguments));
}

Result<config::Settings> load_settings_to_serve(const ConfigArguments& arguments) {
  config::LoadOptions options = load_options(arguments);
  options.extra_check = composition::check_configured_files;
  return config::load(options);
}

std::string text_of(const Error& error) {
  const bool adds =
      !error.detail.empty() && error.detail != error.message && !error.detail.ends_with(": " + error.message);
  return adds ? error.message + " (" + error.detail + ")" : error.message;
}

Error with_hint(Error error, std::string_view parameter, std::string_view hint) {
  if (error.parameter == parameter) error.message.append("; ").append(hint);
  return error;
}

int fail(const Error& error) {
  const std::string text = text_of(error);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size()));
    std::fprintf(stderr, "kbase: %s\n", terminal_safe(stderr, line).c_str());
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return kFailure;
}

int fail_usage(const Error& error) {
  fail(error);
  return kUsage;
}

std::string terminal_safe(std::FILE* stream, std::string_view text) {
  if (::isatty(::fileno(stream)) != 1) return std::string(text);
  std::string shown;
  while (!text.empty()) {
    const bool is_layout = text.front() == '\t' || text.front() == '\n';
    const std::size_t length = is_layout ? 0 : utf8::control_length(text);
    if (length == 0)
      shown += text.front();
    else
      shown += "\xEF\xBF\xBD";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

}  // namespace kbase::cli
