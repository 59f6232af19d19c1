// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.hpp"

#include <cstdio>

#include "app/cli/foreign_text.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/named_files.hpp"

namespace kbase::cli {

void add_config_options(Command& command, ConfigArguments& arguments) {
  command.option("--config", arguments.file, "the configuration file (YAML); without it, the built-in defaults",
                 "FILE");
  command.option("--set", arguments.sets, "one value of the configuration; may be repeated", "PATH.TO.KEY=VALUE")
      .one_at_a_time();
}

namespace {

config::LoadOptions load_options(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = composition::plugin_config;
  return options;
}

}  // namespace

model::Result<config::Settings> load_settings(const ConfigArguments& arguments) {
  return config::load(load_options(arguments));
}

model::Result<config::Settings> load_settings_to_serve(const ConfigArguments& arguments) {
  config::LoadOptions options = load_options(arguments);
  options.further_check = composition::check_named_files;
  return config::load(options);
}

std::string text_of(const model::Error& error) {
  const bool adds =
      !error.detail.empty() && error.detail != error.message && !error.detail.ends_with(": " + error.message);
  return adds ? error.message + " (" + error.detail + ")" : error.message;
}

int fail(const model::Error& error) {
  std::fprintf(stderr, "kbase: %s\n", foreign_text(stderr, text_of(error)).c_str());
  return kFailure;
}

int fail_usage(const model::Error& error) {
  fail(error);
  return kUsage;
}

}  // namespace kbase::cli
