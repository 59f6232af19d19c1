// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/command.hpp"
#include "app/composition/health_question.hpp"
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
std::string way_out(const std::string& url, std::uint32_t status) {
  const std::size_t path = url.find('/', url.find("://") + 3);
  if (status != kNotFound || url.find_first_not_of('/', path) != url.npos) return {};
  return "; append its server.base_path, as in " + url.substr(0, path) + "/api/v1";
}

Verdict verdict_of(const std::string& url, const composition::HealthAnswer& answer) {
  json document = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document["status"].is_string() || !document["services"].is_object())
    return unreachable(url, "HTTP status " + std::to_string(answer.status) + ", and not the health of a kbase server" +
                                way_out(url, answer.status));
  std::string states;
  list_states(document["services"], states);
  return {answer.status == kOk, document["status"].get<std::string>() + ": " + states, std::move(document)};
}

/// The cause of the error: messages for clients do not contain it.
std::string reason_of(const model::Error& error) {
  return error.detail.empty() ? error.message : error.detail;
}

int ask(const std::string& url, std::chrono::milliseconds timeout, bool as_json) {
  composition::Platform platform(system::StderrLog::Format::Auto);
  platform.log.set_level(ports::LogLevel::Error);
  const auto answer = composition::ask_health(url, timeout, platform);
  if (!answer && answer.error().code == model::ErrorCode::InvalidArgument) return fail_usage(answer.error());
  const Verdict verdict = answer ? verdict_of(url, *answer) : unreachable(url, reason_of(answer.error()));
  std::puts(as_json ? verdict.document.dump().c_str() : verdict.line.c_str());
  return verdict.serves ? kSuccess : kFailure;
}

int run_health(const HealthArguments& arguments) {
  const auto timeout = config::quantity_of("duration", arguments.timeout);
  if (!timeout || *timeout == 0)
    return fail_usage(model::invalid_argument("timeout", "--timeout: must be a duration such as 500ms or 5s"));
  std::string url = arguments.url;
  if (url.empty()) {
    const auto settings = load_settings(arguments.config);
    if (!settings) return fail_usage(settings.error());
    const auto own = composition::own_url(settings->server);
    if (!own) return fail_usage(own.error());
    url = *own;
  }
  return ask(url, std::chrono::milliseconds(*timeout), arguments.json);
}

}  // namespace

void add_health(Command root) {
  const auto arguments = std::make_shared<HealthArguments>();
  Command command = root.command("health", "ask the running server whether it is healthy");
  add_config_options(command, arguments->config);
  command
      .option("--url", arguments->url, "the server's address; without it, that of the configuration",
              "http://ADDRESS:PORT/api/v1")
      .excludes("--config")
      .excludes("--set");
  command.option("--timeout", arguments->timeout, "how long it may take to answer", "DURATION").with_default();
  command.flag("--json", arguments->json, "what the server says, as one line of JSON");
  command.does([arguments] { return run_health(*arguments); });
}

}  // namespace kbase::cli
