// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/server_health.hpp"
#include "app/runtime/user_look_ups.hpp"
#include "domain/usecases/complete_prompt.hpp"
#include "domain/usecases/look_up_user.hpp"

namespace kbase::composition {

/// The configured code-hosting service with its cache, rate limit and request coalescing. If none is configured,
/// look-ups fail because the service is disabled. Each member uses only members declared before it.
class CodeHostService {
 public:
  /// Dependencies; all must outlive the service. `cache` may be null.
  struct Dependencies {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::Cache* cache;
    std::function<void(ports::LookUpOutcome)> on_outcome = {};  ///< empty: outcomes are not counted
  };
  /// Errors: those of Backends::open_code_host().
  static Result<std::unique_ptr<CodeHostService>> open(const Dependencies& deps);

  CodeHostService(const Dependencies& deps, std::unique_ptr<ports::CodeHost> host,
                  std::unique_ptr<ports::RateLimitStore> limiter);

  ports::CodeHostUsers& users() { return users_; }

  /// Checks the health of the service every 15 seconds in its own thread and reports it to `health`. This object and
  /// `health` must outlive the task. Null: no service is configured.
  std::unique_ptr<runtime::PeriodicTask> start_health_task(runtime::HealthChecker& health) const;

 private:
  const Dependencies deps_;
  const std::unique_ptr<ports::CodeHost> host_;
  const std::unique_ptr<ports::RateLimitStore> look_up_limiter_;
  usecases::LookUpUser look_up_;
  runtime::CoalescedLookUps users_;
};

/// The configured language model with its prompt rules and token limits. If none is configured, completions fail
/// because the service is disabled.
class LanguageModelService {
 public:
  /// Dependencies; all must outlive the service. The rate limiter counts tokens.
  struct Dependencies {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::RateLimitStore& rate_limiter;
  };
  /// Errors: those of Backends::open_language_model().
  static Result<std::unique_ptr<LanguageModelService>> open(const Dependencies& deps);

  LanguageModelService(const Dependencies& deps, std::unique_ptr<ports::LanguageModel> model);

  ports::Completions& completions() { return completions_; }

  /// Checks the health of the service every 15 seconds in its own thread and reports it to `health`. This object and
  /// `health` must outlive the task. Null: no service is configured.
  std::unique_ptr<runtime::PeriodicTask> start_health_task(runtime::HealthChecker& health) const;

 private:
  const Dependencies deps_;
  const std::unique_ptr<ports::LanguageModel> model_;
  usecases::CompletePrompt completions_;
};

}  // namespace kbase::composition
