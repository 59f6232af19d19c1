// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/composition/backends.hpp"
#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/service_probes.hpp"
#include "domain/usecases/complete_prompt.hpp"

namespace kbase::composition {

/// The configured language model with its prompt rules and token limits. If none is configured, completions fail
/// because the service is disabled.
class LanguageModelService {
 public:
  /// Dependencies; all must outlive the service. The rate limiter counts tokens.
  struct Parts {
    const config::Settings& settings;
    Platform& platform;
    Backends& backends;
    ports::RateLimitStore& rate_limiter;
  };
  /// Errors: those of Backends::open_language_model().
  static model::Result<std::unique_ptr<LanguageModelService>> open(const Parts& parts);

  LanguageModelService(const Parts& parts, std::unique_ptr<ports::LanguageModel> model);

  ports::Completions& completions() { return completions_; }

  /// See watch_service().
  std::unique_ptr<runtime::PeriodicTask> watch(runtime::ServiceProbes& probes) const;

 private:
  const Parts parts_;
  const std::unique_ptr<ports::LanguageModel> model_;
  usecases::CompletePrompt completions_;
};

}  // namespace kbase::composition
