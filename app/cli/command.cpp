// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.hpp"

#include <cstdio>

#include "app/composition/backends.hpp"

namespace kbase::cli {

void add_config_options(Command& command, ConfigArguments& arguments) {
  command.option("--config", arguments.file, "the configuration file (YAML); without it, the built-in defaults",
                 "FILE");
  command.option("--set", arguments.sets, "one value of the configuration; may be repeated", "PATH.TO.KEY=VALUE")
      .one_at_a_time();
}

model::Result<config::Settings> load_settings(const ConfigArguments& arguments) {
  config::LoadOptions options;
  if (!arguments.file.empty()) options.file = arguments.file;
  options.sets = arguments.sets;
  options.plugin_config = composition::plugin_config;
  return config::load(options);
}

namespace {

void say(const model::Error& error) {
  if (error.detail.empty())
    std::fprintf(stderr, "kbase: %s\n", error.message.c_str());
  else
    std::fprintf(stderr, "kbase: %s (%s)\n", error.message.c_str(), error.detail.c_str());
}

}  // namespace

int fail(const model::Error& error) {
  say(error);
  return kFailure;
}

int fail_usage(const model::Error& error) {
  say(error);
  return kUsage;
}

}  // namespace kbase::cli
