// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/cli/command_line.hpp"
#include "app/cli/doctor/checks.hpp"

namespace kbase::cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::State;
using Json = nlohmann::ordered_json;

struct DoctorArguments {
  ConfigArguments config;
  bool as_json = false;
};

/// Names of a state in the text and JSON output.
struct StateName {
  const char* label;
  const char* word;
};

StateName name_of(State state) {
  switch (state) {
    case State::Ok: return {"ok", "ok"};
    case State::Skipped: return {"skip", "skipped"};
    case State::Warning: return {"warn", "warning"};
    case State::Failed: break;
  }
  return {"FAIL", "failed"};
}

std::size_t count_of(State state, const Findings& findings) {
  return static_cast<std::size_t>(std::count_if(findings.all().begin(), findings.all().end(),
                                                [&](const Finding& finding) { return finding.state == state; }));
}

void print_json(const Findings& findings) {
  Json checks = Json::array();
  for (const Finding& finding : findings.all())
    checks.push_back({{"check", finding.check},
                      {"state", name_of(finding.state).word},
                      {"message", finding.message},
                      {"remedy", finding.remedy.empty() ? Json() : Json(finding.remedy)}});
  const Json all = {{"failed", count_of(State::Failed, findings)},
                    {"warnings", count_of(State::Warning, findings)},
                    {"checks", std::move(checks)}};
  std::puts(all.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

void print_lines(const Findings& findings) {
  std::size_t width = 0;
  for (const Finding& finding : findings.all()) width = std::max(width, finding.check.size());
  for (const Finding& finding : findings.all()) {
    std::printf("%-4s  %-*s  %s\n", name_of(finding.state).label, static_cast<int>(width), finding.check.c_str(),
                finding.message.c_str());
    if (!finding.remedy.empty())
      std::printf("      %-*s  remedy: %s\n", static_cast<int>(width), "", finding.remedy.c_str());
  }
  const std::size_t failed = count_of(State::Failed, findings), warnings = count_of(State::Warning, findings);
  std::printf("%zu failed, %zu warning%s, %zu checks\n", failed, warnings, warnings == 1 ? "" : "s",
              findings.all().size());
}

/// Collects the warnings that back ends log while they are checked. Any thread.
class Warnings final : public ports::EventLog {
 public:
  bool is_enabled(ports::LogLevel level) const override { return level >= ports::LogLevel::Warning; }
  void log(ports::LogLevel level, std::string_view event, std::string_view message,
           std::span<const ports::LogField> fields) override;

  void report(Findings& findings) const {
    const std::lock_guard lock(mutex_);
    if (warnings_.empty()) return findings.ok("warnings", "no back end logged a warning");
    for (const std::string& warning : warnings_)
      findings.warn("warnings", warning, "see this event on the page Log events of the manual");
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;  // "EVENT: MESSAGE"
};

void Warnings::log(ports::LogLevel level, std::string_view event, std::string_view message,
                   std::span<const ports::LogField>) {
  if (!is_enabled(level)) return;
  const std::lock_guard lock(mutex_);
  warnings_.push_back(std::string(event).append(": ").append(message));
}

/// Runs the checks that require a valid configuration.
void check_back_ends(const config::Settings& settings, std::optional<pid_t> server, Findings& findings) {
  composition::Platform platform(system::StderrLog::Format::Auto);
  platform.log.set_level(ports::LogLevel::Error);  // the findings report problems
  Warnings warnings;
  composition::Backends backends(settings, platform, /*metrics=*/nullptr, &warnings);
  doctor::Base base{settings, platform, backends, server};
  doctor::check_content(base, findings);
  doctor::check_rate_limiter(base, findings);
  doctor::check_cache(base, findings);
  doctor::check_code_host(base, findings);
  doctor::check_language_model(base, findings);
  doctor::check_origins(base, findings);
  warnings.report(findings);
}

Findings examine(const ConfigArguments& arguments) {
  Findings findings;
  const doctor::ReadSettings read = doctor::check_configuration(arguments, findings);
  if (read.settings) {
    const auto server = doctor::server_of(read.settings->data_dir);
    doctor::check_plugins(*read.settings, findings);
    doctor::check_server(*read.settings, server, findings);
    doctor::check_folders(*read.settings, findings);
    if (read.is_valid) check_back_ends(*read.settings, server, findings);
    doctor::check_limits(*read.settings, server, findings);
  }
  doctor::check_clock(findings);
  if (!read.is_valid) findings.skip("rest", "the other checks need a valid configuration");
  return findings;
}

int run_doctor(const DoctorArguments& arguments) {
  const Findings findings = examine(arguments.config);
  if (arguments.as_json)
    print_json(findings);
  else
    print_lines(findings);
  return count_of(State::Failed, findings) == 0 ? kSuccess : kFailure;
}

}  // namespace

void add_doctor(Command root) {
  const auto arguments = std::make_shared<DoctorArguments>();
  Command command = root.command("doctor", "check everything a server needs and suggest remedies");
  add_config_options(command, arguments->config);
  command.flag("--json", arguments->as_json, "print one JSON object");
  command.set_action([arguments] { return run_doctor(*arguments); });
}

}  // namespace kbase::cli
