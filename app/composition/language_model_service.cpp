// SPDX-License-Identifier: Apache-2.0
#include "app/composition/language_model_service.hpp"

#include <utility>

#include "app/composition/service_watch.hpp"

namespace kbase::composition {
namespace {

usecases::PromptRules rules_of(const config::Llm& settings) {
  usecases::PromptRules rules;
  rules.default_model = settings.default_model;
  rules.allowed_models = settings.allowed_models;
  rules.max_tokens = settings.max_tokens;
  rules.default_max_tokens = settings.default_max_tokens;
  rules.max_prompt_bytes = settings.max_prompt_bytes;
  rules.tokens_per_day = settings.tokens_per_day;
  rules.idle_timeout = settings.idle_timeout;
  rules.stream_timeout = settings.stream_timeout;
  rules.log_prompts = settings.log_prompts;
  return rules;
}

}  // namespace

model::Result<std::unique_ptr<LanguageModelService>> LanguageModelService::open(const Parts& parts) {
  auto model = parts.backends.open_language_model();
  if (!model) return model.error();
  return std::make_unique<LanguageModelService>(parts, *std::move(model));
}

LanguageModelService::LanguageModelService(const Parts& parts, std::unique_ptr<ports::LanguageModel> model)
    : parts_(parts),
      model_(std::move(model)),
      completions_({model_.get(), parts.rate_limiter, parts.platform.digest, parts.platform.clock, parts.platform.log},
                   rules_of(parts.settings.llm)) {}

std::unique_ptr<runtime::PeriodicTask> LanguageModelService::watch(runtime::ServiceProbes& probes) const {
  return watch_service(ports::Service::Llm, model_.get(), parts_.platform.clock, probes);
}

}  // namespace kbase::composition
