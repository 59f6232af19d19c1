// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>

#include "app/composition/backends.hpp"
#include "app/composition/configured_files.hpp"
#include "domain/base/utf8.hpp"

namespace kbase::cli {

void add_config_options(Command& command, ConfigArguments& arguments) {
  command.option("--config", arguments.file, "the configuration file (YAML); default: the built-in defaults", "FILE");
  command.option("--set", arguments.sets, "set one value of the configuration; repeatable", "PATH.TO.KEY=VALUE")
      .one_at_a_time();
}

namespace {

config::LoadOptions load_options(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = composition::load_plugin_config;
  return options;
}

}  // namespace

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
  std::fprintf(stderr, "kbase: %s\n", terminal_safe(stderr, text_of(error)).c_str());
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
