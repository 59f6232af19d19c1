// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "app/cli/command_line.hpp"
#include "app/cli/session.hpp"
#include "app/composition/upstream_services.hpp"
#include "app/runtime/guarded_rate_limit_store.hpp"

namespace kbase::cli {
namespace {

struct PromptArguments {
  ConfigArguments config;
  std::string prompt;
  std::optional<std::string> model;
  std::optional<std::uint64_t> max_tokens;
  std::optional<double> temperature;
};

ports::CompletionRequest request_of(const PromptArguments& arguments) {
  ports::CompletionRequest request;
  request.prompt = arguments.prompt;
  if (arguments.model) request.model = *arguments.model;
  request.max_tokens = arguments.max_tokens;
  request.temperature = arguments.temperature;
  request.stream = true;
  return request;
}

Error language_model_missing() {
  return invalid_argument("llm.plugin",
                          "no language-model service is configured; set one, for example with "
                          "--set llm.plugin=ollama and --set llm.config.default_model=NAME");
}

void print_usage(const ports::Completion& completion) {
  std::fprintf(stderr, "%s: %llu prompt tokens, %llu completion tokens\n",
               terminal_safe(stderr, completion.model).c_str(),
               static_cast<unsigned long long>(completion.prompt_tokens),
               static_cast<unsigned long long>(completion.completion_tokens));
}

/// Prints the text to standard output as it arrives, everything else to standard error.
int complete(const PromptArguments& arguments, const config::Settings& settings, composition::Platform& platform,
             ports::Completions& completions) {
  ports::Call call;
  call.deadline = platform.clock.steady() + settings.llm.timeout;
  bool is_begun = false;
  const auto outcome = completions.complete(call, {}, request_of(arguments), [&](std::string_view piece) {
    is_begun = true;
    const std::string shown = terminal_safe(stdout, piece);
    const bool is_written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
    return is_written && std::fflush(stdout) == 0 ? Visit::Continue : Visit::Stop;
  });
  if (is_begun) {
    std::fputs("\n", stdout);
    std::fflush(stdout);  // before output on the other stream
  }
  if (!outcome) return fail_at_service(outcome.error(), {"llm", settings.llm.config});
  print_usage(std::get<ports::Completion>(*outcome));
  return kSuccess;
}

/// The operator's own prompts are not charged to a token budget.
int run_llm(const PromptArguments& arguments) {
  auto settings = load_settings(arguments.config);
  if (!settings) return fail_usage(settings.error());
  if (settings->llm.plugin == config::kNoPlugin) return fail_usage(language_model_missing());
  settings->llm.tokens_per_day = 0;
  composition::Platform platform(system::StderrLog::Format::Auto);
  platform.log.set_level(ports::LogLevel::Warning);
  composition::Backends backends(*settings, platform, /*metrics=*/nullptr);
  runtime::AllowingRateLimitStore rate_limiter(platform.clock);
  const auto service = composition::LanguageModelService::open({*settings, platform, backends, rate_limiter});
  if (!service) return fail_at_service(service.error(), {"llm", settings->llm.config});
  return complete(arguments, *settings, platform, (*service)->completions());
}

void add_external_llm(Command external) {
  const auto arguments = std::make_shared<PromptArguments>();
  Command command = external.command("llm", "send a prompt to the language-model service and print its completion");
  add_config_options(command, arguments->config);
  command.option("--prompt", arguments->prompt, "the prompt").required();
  command.option("--model", arguments->model, "the model; default: llm.config.default_model", "NAME");
  command.option("--max-tokens", arguments->max_tokens, "maximum number of tokens of the completion", "N");
  command.option("--temperature", arguments->temperature, "from 0 to 2; default: the default of the service", "T");
  command.set_action([arguments] { return run_llm(*arguments); });
}

struct CodehostArguments {
  ConfigArguments config;
  std::string name;
};

Error code_host_missing() {
  return invalid_argument("codehost.plugin",
                          "no code-hosting service is configured; set one, for example with "
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
  if (settings->codehost.plugin == config::kNoPlugin) return fail_usage(code_host_missing());
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
  std::printf("%s\n", terminal_safe(stdout, readable(user->text)).c_str());
  return kSuccess;
}

void add_codehost(Command external) {
  const auto arguments = std::make_shared<CodehostArguments>();
  Command command = external.command("codehost", "show a user of the code-hosting service");
  add_config_options(command, arguments->config);
  command.option("NAME", arguments->name, "The username").required();
  command.set_action([arguments] { return show_user(*arguments); });
}

}  // namespace

void add_external(Command root) {
  const Command external = root.group("external", "query the upstream services directly, without a server");
  add_codehost(external);
  add_external_llm(external);
}

}  // namespace kbase::cli
