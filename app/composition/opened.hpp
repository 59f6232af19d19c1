// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adapters/prometheus/prometheus_metrics.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/code_host_service.hpp"
#include "app/composition/language_model_service.hpp"
#include "app/composition/platform.hpp"
#include "app/composition/rate_limiter.hpp"
#include "app/composition/serve_locks.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/metered_look_ups.hpp"
#include "app/runtime/view_journal.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// Everything that can fail to open at startup, before the parts are wired. Each member uses only members declared
/// before it.
struct Opened {
  ServeLocks locks;
  std::string log_secret;
  std::unique_ptr<prometheus::PrometheusMetrics> metrics;
  std::unique_ptr<Backends> backends;
  Stores stores;
  FedIndex index;
  RateLimiter rate_limiter;
  std::unique_ptr<ports::Cache> cache;
  std::unique_ptr<runtime::MeteredLookUps> look_ups;
  std::unique_ptr<CodeHostService> codehost;
  std::unique_ptr<LanguageModelService> llm;
  runtime::ViewJournal journal;
};

/// `settings` and `platform` must outlive the result. On error nothing stays open.
model::Result<Opened> open_all(const config::Settings& settings, Platform& platform);

}  // namespace kbase::composition
