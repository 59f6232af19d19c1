// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "app/cli/command.hpp"
#include "app/cli/foreign_text.hpp"
#include "app/cli/service_failure.hpp"
#include "app/composition/language_model_service.hpp"
#include "app/runtime/fallback_rate_limiters.hpp"

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

model::Error disabled() {
  return model::invalid_argument("llm.plugin",
                                 "no language-model service is configured; name one, for example with "
                                 "--set llm.plugin=ollama and --set llm.config.default_model=NAME");
}

void say_end(const ports::Completion& completion) {
  std::fprintf(stderr, "%s: %llu tokens of the prompt, %llu of the completion\n",
               foreign_text(stderr, completion.model).c_str(),
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
    const std::string shown = foreign_text(stdout, piece);
    const bool is_written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
    return is_written && std::fflush(stdout) == 0 ? model::Visit::Continue : model::Visit::Stop;
  });
  if (is_begun) {
    std::fputs("\n", stdout);
    std::fflush(stdout);  // before output on the other stream
  }
  if (!outcome) return fail_at_service(outcome.error(), {"llm", settings.llm.config});
  say_end(std::get<ports::Completion>(*outcome));
  return kSuccess;
}

/// The operator's own prompts are not charged to a token budget.
int run_llm(const PromptArguments& arguments) {
  auto settings = load_settings(arguments.config);
  if (!settings) return fail_usage(settings.error());
  if (settings->llm.plugin == config::kNoPlugin) return fail_usage(disabled());
  settings->llm.tokens_per_day = 0;
  composition::Platform platform(system::StderrLog::Format::Auto);
  platform.log.set_level(ports::LogLevel::Warning);
  composition::Backends backends(*settings, platform, /*metrics=*/nullptr);
  runtime::AllowingRateLimitStore rate_limiter(platform.clock);
  const auto service = composition::LanguageModelService::open({*settings, platform, backends, rate_limiter});
  if (!service) return fail_at_service(service.error(), {"llm", settings->llm.config});
  return complete(arguments, *settings, platform, (*service)->completions());
}

}  // namespace

void add_external_llm(Command external) {
  const auto arguments = std::make_shared<PromptArguments>();
  Command command = external.command("llm", "send a prompt to the language-model service and show its answer");
  add_config_options(command, arguments->config);
  command.option("--prompt", arguments->prompt, "the prompt").required();
  command.option("--model", arguments->model, "the model; without it, llm.config.default_model", "NAME");
  command.option("--max-tokens", arguments->max_tokens, "the most tokens of the answer", "N");
  command.option("--temperature", arguments->temperature, "from 0 to 2; without it, the service's own", "T");
  command.does([arguments] { return run_llm(*arguments); });
}

}  // namespace kbase::cli
