// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "adapters/systemd/service_manager.hpp"
#include "app/cli/command_line.hpp"
#include "app/composition/health_query.hpp"
#include "app/composition/service.hpp"
#include "app/config/formats.hpp"

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
  const auto port = std::make_shared<std::optional<std::uint64_t>>();
  Command command = root.command("serve", "run the server until it receives SIGTERM or SIGINT");
  add_config_options(command, *arguments);
  command.option("--port", *port, "port to listen at; short for --set server.port=N", "N").between(0, 65535);
  command.set_action([arguments, port] {
    if (*port) arguments->sets.push_back("server.port=" + std::to_string(**port));
    return run_serve(*arguments);
  });
}

namespace {

using json = nlohmann::ordered_json;  // keeps the server's order of members

constexpr std::uint32_t kOk = 200, kNotFound = 404;

struct HealthArguments {
  ConfigArguments config;
  std::string url;
  std::string timeout = "5s";
  bool json = false;
};

/// The health that a server reports, or why there is no report.
struct Verdict {
  bool serves = false;
  std::string line;  ///< human-readable
  json document;     ///< the server's response, or {"status": "unreachable", "message": ...}
};

Verdict unreachable(const std::string& url, const std::string& reason) {
  const std::string message = url + ": " + reason;
  return {false, "unreachable: " + message, {{"status", "unreachable"}, {"message", message}}};
}

/// Appends the states of an object and its nested objects, such as "database connected, cache disabled".
void list_states(const json& services, std::string& list) {
  for (const auto& [name, state] : services.items())
    if (state.is_object())
      list_states(state, list);
    else if (state.is_string())
      list.append(list.empty() ? "" : ", ").append(name).append(" ").append(state.get<std::string>());
}

/// Returns a hint for 404 at a URL without a path.
std::string base_path_hint(const std::string& url, std::uint32_t status) {
  const std::size_t path = url.find('/', url.find("://") + 3);
  if (status != kNotFound || url.find_first_not_of('/', path) != url.npos) return {};
  return "; append the server's server.base_path, for example " + url.substr(0, path) + "/api/v1";
}

Verdict verdict_of(const std::string& url, const composition::HealthReply& answer) {
  json document = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document["status"].is_string() || !document["services"].is_object())
    return unreachable(url, "HTTP status " + std::to_string(answer.status) +
                                ", and the response is not the health of a kbase server" +
                                base_path_hint(url, answer.status));
  std::string states;
  list_states(document["services"], states);
  return {answer.status == kOk, document["status"].get<std::string>() + ": " + states, std::move(document)};
}

/// The cause of the error: messages for clients do not contain it.
std::string reason_of(const Error& error) { return error.detail.empty() ? error.message : error.detail; }

int print_health(const std::string& url, std::chrono::milliseconds timeout, bool as_json) {
  composition::Platform platform(system::StderrLog::Format::Auto);
  platform.log.set_level(ports::LogLevel::Error);
  const auto answer = composition::query_health(url, timeout, platform);
  if (!answer && answer.error().code == ErrorCode::InvalidArgument) return fail_usage(answer.error());
  const Verdict verdict = answer ? verdict_of(url, *answer) : unreachable(url, reason_of(answer.error()));
  std::puts(as_json ? verdict.document.dump().c_str() : verdict.line.c_str());
  return verdict.serves ? kSuccess : kFailure;
}

int run_health(const HealthArguments& arguments) {
  const auto timeout = config::quantity_of("duration", arguments.timeout);
  if (!timeout || *timeout == 0)
    return fail_usage(invalid_argument("timeout", "--timeout: must be a duration such as 500ms or 5s"));
  std::string url = arguments.url;
  if (url.empty()) {
    const auto settings = load_settings(arguments.config);
    if (!settings) return fail_usage(settings.error());
    const auto own = composition::own_url(settings->server);
    if (!own) return fail_usage(own.error());
    url = *own;
  }
  return print_health(url, std::chrono::milliseconds(*timeout), arguments.json);
}

}  // namespace

void add_health(Command root) {
  const auto arguments = std::make_shared<HealthArguments>();
  Command command = root.command("health", "query the health of a running server");
  add_config_options(command, arguments->config);
  command
      .option("--url", arguments->url, "URL of the server; default: the URL in the configuration",
              "http://ADDRESS:PORT/api/v1")
      .excludes("--config")
      .excludes("--set");
  command.option("--timeout", arguments->timeout, "time limit for the response", "DURATION").with_default();
  command.flag("--json", arguments->json, "print the server's response as one line of JSON");
  command.set_action([arguments] { return run_health(*arguments); });
}

}  // namespace kbase::cli
