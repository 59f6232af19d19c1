// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/command.hpp"
#include "app/cli/foreign_text.hpp"
#include "app/cli/service_failure.hpp"
#include "app/composition/code_host_service.hpp"

namespace kbase::cli {
namespace {

struct CodehostArguments {
  ConfigArguments config;
  std::string name;
};

model::Error disabled() {
  return model::invalid_argument("codehost.plugin",
                                 "no code-hosting service is configured; name one, for example with "
                                 "--set codehost.plugin=github");
}

/// Formats JSON with indentation; returns other text unchanged.
std::string readable(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? text : json.dump(2);
}

/// Queries the service without a cache.
int show_user(const CodehostArguments& arguments) {
  const auto settings = load_settings(arguments.config);
  if (!settings) return fail_usage(settings.error());
  if (settings->codehost.plugin == config::kNoPlugin) return fail_usage(disabled());
  composition::Platform platform(system::StderrLog::Format::Auto);
  // The command prints its own result, so log only problems.
  platform.log.set_level(ports::LogLevel::Warning);
  composition::Backends backends(*settings, platform, /*metrics=*/nullptr);
  const auto service = composition::CodeHostService::open({*settings, platform, backends, /*cache=*/nullptr});
  if (!service) return fail_at_service(service.error(), {"codehost", settings->codehost.config});
  ports::Call call;
  call.deadline = platform.clock.steady() + settings->codehost.timeout;
  const auto user = (*service)->users().look_up(call, {{}, /*has_key=*/true}, arguments.name);
  if (!user) return fail_at_service(user.error(), {"codehost", settings->codehost.config});
  std::printf("%s\n", foreign_text(stdout, readable(user->text)).c_str());
  return kSuccess;
}

void add_codehost(Command external) {
  const auto arguments = std::make_shared<CodehostArguments>();
  Command command = external.command("codehost", "show a user of the code-hosting service");
  add_config_options(command, arguments->config);
  command.option("NAME", arguments->name, "The username").required();
  command.does([arguments] { return show_user(*arguments); });
}

}  // namespace

void add_external(Command root) {
  const Command external = root.group("external", "ask the services outside, without a server");
  add_codehost(external);
  add_external_llm(external);
}

}  // namespace kbase::cli
