// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "adapters/prometheus/prometheus_metrics.hpp"
#include "adapters/system/system_crypto.hpp"
#include "app/composition/backends.hpp"
#include "app/composition/configured_files.hpp"
#include "app/composition/platform.hpp"
#include "app/composition/upstream_services.hpp"
#include "app/config/settings.hpp"
#include "app/runtime/keys_and_plans.hpp"
#include "app/runtime/live_synonyms.hpp"
#include "app/runtime/metered_completions.hpp"
#include "app/runtime/server_health.hpp"
#include "app/runtime/view_journal.hpp"
#include "app/runtime/view_tasks.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/admit_request.hpp"
#include "domain/usecases/browse_catalog.hpp"
#include "domain/usecases/reports.hpp"
#include "domain/usecases/search_items.hpp"

/// The parts of a server, in the order in which they are made. A part uses only parts made before it, which must
/// outlive it. Within a part, each member uses only members declared before it.
namespace kbase::composition {

/// What all parts use: settings, clock, log, metrics and plugins, and the locks on the folders of the server.
struct Environment {
  Environment(const config::Settings& config, Platform& machine, ServeLocks held, std::string_view log_secret);

  const config::Settings& settings;
  Platform& platform;
  ServeLocks locks;
  system::HmacPseudonyms pseudonyms;
  system::HmacSignatures signatures;  // servers that share a rate limiter accept each other's
  prometheus::PrometheusMetrics metrics;
  Backends backends;
};

/// Prepares and locks the folders. `settings` and `platform` must outlive the result. Errors: those of
/// prepare_data_dir(), acquire_locks(), prepare_upload_folder() and load_log_secret().
Result<std::unique_ptr<Environment>> open_environment(const config::Settings& settings, Platform& platform);

/// The stores of items, views and keys, and the counted views on their way to the store.
struct Storage {
  Storage(Environment& environment, Stores opened, runtime::ViewJournal journal);

  /// Imports the content of `storage.config.load`, if any, and the views that earlier processes left in the journal.
  Status load();

  /// Moves the journal's views to the store and measures how long that takes.
  void flush_views();

  Environment& env;
  Stores stores;
  runtime::CountedViews views;
  runtime::ViewFlusher view_flusher;

 private:
  ports::Histogram& flush_seconds_;
  ports::Counter& flush_failures_;
};

/// Errors: those of Backends::open_stores() and ViewJournal::open().
Result<std::unique_ptr<Storage>> open_storage(Environment& env);

/// The search index, and the use cases that read content.
struct Search {
  Search(Environment& env, Storage& storage, WritableIndex opened);

  WritableIndex index;
  runtime::LiveSynonyms synonyms;
  usecases::SearchItems items;
  usecases::BrowseCatalog catalog;
  usecases::ReportStatistics statistics;
};

/// Errors: those of Backends::open_index().
Result<std::unique_ptr<Search>> open_search(Environment& env, Storage& storage);

/// The services on other machines that clients use through this server.
struct Upstreams {
  std::unique_ptr<ports::Cache> cache;  ///< null: no cache is configured
  std::unique_ptr<CodeHostService> codehost;
  std::unique_ptr<LanguageModelService> llm;
  runtime::MeteredCompletions completions;
};

/// `token_limiter` counts the tokens of completions. Errors: those of Backends::open_cache(), CodeHostService::open()
/// and LanguageModelService::open().
Result<Upstreams> open_upstreams(Environment& env, ports::RateLimitStore& token_limiter);

/// The health of the services and the readiness of this server. `cache`: null if no cache is configured.
struct Health {
  Health(Environment& env, Storage& storage, Search& search, ports::Cache* cache);

  runtime::HealthChecker checker;
  runtime::ServerReadiness readiness;
  usecases::ReportHealth report;
};

/// Keys, plans and the admission of requests. `request_limiter` counts the requests.
struct Access {
  Access(Environment& environment, Storage& storage, ports::RateLimitStore& request_limiter);

  /// Logs a warning if live keys have plans that the configuration lacks.
  void warn_about_missing_plans();

  /// Replaces plans, the plans of origins, and configured keys. Errors, after which nothing has changed:
  /// InvalidArgument if keys would lose their plan; others if the key store fails.
  Status reload(const config::Settings& settings);

  Environment& env;
  ports::ApiKeyStore& store;
  runtime::ConfiguredKeys keys;
  runtime::KeyCache key_cache;
  runtime::PlanTable plans;
  usecases::AdmitRequest admission;
  runtime::UsageCounter usage;
  runtime::CountedAccess counted_admission;
  runtime::LastQuota access;
};

}  // namespace kbase::composition
