// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <memory>

#include "app/cli/command.hpp"
#include "app/composition/service.hpp"

namespace kbase::cli {
namespace {

/// The signals that steer a server, taken by `serve` alone: every thread it starts inherits the mask.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

void reload(const ConfigArguments& arguments, composition::Service& service, ports::EventLog& log) {
  const auto settings = load_settings(arguments);
  const model::Status taken = settings ? service.reload(*settings) : settings.error();
  if (taken)
    log.log(ports::LogLevel::Info, "config.reloaded",
            "plans, origins, configured keys and the log level are as the file says");
  else
    log.log(ports::LogLevel::Error, "config.refused", taken.error().message);
}

int run_serve(const ConfigArguments& arguments) {
  const auto settings = load_settings(arguments);
  if (!settings) return fail_usage(settings.error());
  const sigset_t signals = block_signals();
  composition::Platform platform(settings->logging.format);
  platform.log.set_level(settings->logging.level);
  auto service = composition::Service::start(*settings, platform);
  if (!service) return fail(service.error());
  platform.log.write_in_background();
  std::printf("listening on %s\n", (*service)->url().c_str());
  std::fflush(stdout);
  for (int signal = 0; sigwait(&signals, &signal) == 0;) {
    if (signal != SIGHUP) break;
    reload(arguments, **service, platform.log);
  }
  (*service)->drain();
  return kSuccess;
}

}  // namespace

void add_serve(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<ConfigArguments>();
  CLI::App* command = app.add_subcommand("serve", "answer requests until a signal ends it");
  add_config_options(*command, *arguments);
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_serve(*arguments); }; });
}

}  // namespace kbase::cli
