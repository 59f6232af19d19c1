// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/command_line.hpp"
#include "app/composition/health_query.hpp"
#include "app/config/formats.hpp"

namespace kbase::cli {
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
