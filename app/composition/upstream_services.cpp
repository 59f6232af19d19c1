// SPDX-License-Identifier: Apache-2.0
#include "app/composition/upstream_services.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/http/user_document.hpp"
#include "app/config/version.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"
#include "ports/driven/clock.hpp"

namespace kbase::composition {
namespace {

constexpr std::size_t kFingerprintBytes = 16;

/// Returns the part of the cache key that does not depend on the user. It contains the program version, because another
/// version may write other documents, and the settings, because they select the repositories that are shown. Secrets
/// are masked in `settings.shown`, and the text is hashed.
std::string cache_prefix(const config::Settings& settings, const ports::Digest& digest) {
  const auto shown = nlohmann::json::parse(settings.shown, nullptr, /*allow_exceptions=*/false);
  const std::string config = shown.is_object() && shown.contains("codehost") ? shown["codehost"].dump() : "";
  const auto hash = digest.sha256(std::string(config::kVersion) + '\n' + config);
  return "user/" + to_hex(std::span(hash).first(kFingerprintBytes)) + '/';
}

usecases::LookUpUser::Options look_up_options(const config::Settings& settings, const ports::Digest& digest) {
  const config::CodeHost& codehost = settings.codehost;
  usecases::LookUpUser::Options options;
  options.cache_prefix = cache_prefix(settings, digest);
  options.fresh_for = codehost.fresh_for;
  options.keep_for = codehost.keep_for;
  options.unknown_for = codehost.unknown_for;
  options.cold_per_minute = codehost.cold_per_minute;
  options.cold_per_minute_keyless = codehost.cold_per_minute_keyless;
  return options;
}

usecases::PromptRules prompt_rules(const config::Llm& settings) {
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

/// Pause between health checks: short enough to notice a recovery soon, long enough to cause no load.
constexpr std::chrono::milliseconds kHealthCheckPause{15'000};
/// Timeout of a health check. Short, because stopping the task waits for a running check.
constexpr std::chrono::milliseconds kHealthCheckTimeout{3'000};

/// See CodeHostService::start_health_task().
template <class Port>
std::unique_ptr<runtime::PeriodicTask> start_task(ports::Service name, Port* port, const ports::Clock& clock,
                                                  runtime::HealthChecker& health) {
  if (port == nullptr) return nullptr;
  health.set(name, ports::ServiceState::Up);  // until a check fails
  return std::make_unique<runtime::PeriodicTask>(kHealthCheckPause, [name, port, &clock, &health] {
    ports::Call call;
    call.deadline = clock.steady() + kHealthCheckTimeout;
    health.record(name, port->health(call));
  });
}

}  // namespace

Result<std::unique_ptr<CodeHostService>> CodeHostService::open(const Dependencies& deps) {
  auto host = KBASE_TRY(deps.backends.open_code_host());
  auto limiter = KBASE_TRY(deps.backends.open_local_rate_limiter());
  return std::make_unique<CodeHostService>(deps, std::move(host), std::move(limiter));
}

CodeHostService::CodeHostService(const Dependencies& deps, std::unique_ptr<ports::CodeHost> host,
                                 std::unique_ptr<ports::RateLimitStore> limiter)
    : deps_(deps),
      host_(std::move(host)),
      look_up_limiter_(std::move(limiter)),
      look_up_(
          {host_.get(), deps.cache, *look_up_limiter_, http::make_user_document, deps.platform.clock, deps.on_outcome},
          look_up_options(deps.settings, deps.platform.digest)),
      users_(look_up_) {}

std::unique_ptr<runtime::PeriodicTask> CodeHostService::start_health_task(runtime::HealthChecker& health) const {
  return start_task(ports::Service::Codehost, host_.get(), deps_.platform.clock, health);
}

Result<std::unique_ptr<LanguageModelService>> LanguageModelService::open(const Dependencies& deps) {
  auto model = KBASE_TRY(deps.backends.open_language_model());
  return std::make_unique<LanguageModelService>(deps, std::move(model));
}

LanguageModelService::LanguageModelService(const Dependencies& deps, std::unique_ptr<ports::LanguageModel> model)
    : deps_(deps),
      model_(std::move(model)),
      completions_({model_.get(), deps.rate_limiter, deps.platform.digest, deps.platform.clock, deps.platform.log},
                   prompt_rules(deps.settings.llm)) {}

std::unique_ptr<runtime::PeriodicTask> LanguageModelService::start_health_task(runtime::HealthChecker& health) const {
  return start_task(ports::Service::Llm, model_.get(), deps_.platform.clock, health);
}

}  // namespace kbase::composition
