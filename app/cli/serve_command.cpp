// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "adapters/systemd/service_manager.hpp"
#include "app/cli/command_line.hpp"
#include "app/composition/service.hpp"

namespace kbase::cli {
namespace {

/// Blocks the signals that control a server; only `serve` waits for them. All threads started later inherit the mask.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

Status reload(const ConfigArguments& arguments, composition::Service& service, ports::EventLog& log) {
  const auto settings = load_settings(arguments);
  Status reloaded = settings ? service.reload(*settings) : settings.error();
  if (reloaded)
    log.log(ports::LogLevel::Info, "config.reloaded",
            "plans, origins, configured keys and the log level were reloaded");
  else
    log.log(ports::LogLevel::Error, "config.refused", reloaded.error().message);
  return reloaded;
}

/// Whether every event loop has run within `pause`. A healthy loop runs many times in that interval.
bool is_alive(const composition::Service& service, const ports::Clock& clock, std::chrono::nanoseconds pause) {
  return clock.steady() - service.last_iteration() < pause;
}

/// Waits for the next signal. Meanwhile notifies the systemd watchdog four times per watchdog interval while all event
/// loops run; the first time at once.
int await_signal(const sigset_t& signals, const composition::Service& service, const ports::Clock& clock,
                 const systemd::ServiceManager& manager) {
  if (!manager.watchdog()) {
    int signal = 0;
    ::sigwait(&signals, &signal);
    return signal;
  }
  const std::chrono::nanoseconds pause = *manager.watchdog() / 4;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(pause);
  const timespec limit{seconds.count(), (pause - seconds).count()};
  for (;;) {
    if (is_alive(service, clock, pause)) manager.notify_alive();
    const int signal = ::sigtimedwait(&signals, nullptr, &limit);
    if (signal > 0) return signal;
  }
}

int run_serve(const ConfigArguments& arguments) {
  const auto settings = load_settings_to_serve(arguments);
  if (!settings) return fail_usage(settings.error());
  const sigset_t signals = block_signals();
  composition::Platform platform(settings->logging.format);
  platform.log.set_level(settings->logging.level);
  auto service = composition::Service::start(*settings, platform);
  if (!service) return fail(service.error());
  platform.log.write_in_background();
  const std::string listening = "listening on " + (*service)->url();
  std::puts(listening.c_str());
  std::fflush(stdout);
  const systemd::ServiceManager manager;
  manager.notify_ready(listening);
  while (await_signal(signals, **service, platform.clock, manager) == SIGHUP) {
    manager.notify_reloading();
    const auto reloaded = reload(arguments, **service, platform.log);
    manager.notify_ready(reloaded ? listening : listening + "; configuration rejected: " + reloaded.error().message);
  }
  manager.notify_stopping();
  (*service)->drain();
  return kSuccess;
}

}  // namespace

void add_serve(Command root) {
  const auto arguments = std::make_shared<ConfigArguments>();
  Command command = root.command("serve", "run the server until it receives SIGTERM or SIGINT");
  add_config_options(command, *arguments);
  command.set_action([arguments] { return run_serve(*arguments); });
}

}  // namespace kbase::cli
