// SPDX-License-Identifier: Apache-2.0
#include "app/composition/parts.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/text/unicode.hpp"
#include "app/composition/content_sources.hpp"
#include "app/config/version.hpp"
#include "app/runtime/metered_completions.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::composition {
namespace {

using Kind = ports::Metrics::Kind;

constexpr std::array<double, 8> kFlushBounds = {0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5};  // seconds

void register_build_metrics(ports::Metrics& metrics) {
  metrics.register_callback(Kind::Gauge, "kbase_build_info",
                            "Always 1. The labels name the version and the compiler of the program.",
                            [] { return 1.0; }, {{"version", config::kVersion}, {"compiler", KBASE_COMPILER}});
}

/// Sums the file sizes in `folder`; files that disappear meanwhile are skipped.
std::uintmax_t folder_bytes(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed)) {
    std::error_code gone;
    const auto size = file->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

/// First signs of a full disk: the size of the view journal and the free bytes.
void register_disk_metrics(ports::Metrics& metrics, const std::filesystem::path& data_dir) {
  metrics.register_callback(Kind::Gauge, "kbase_view_journal_bytes",
                            "Size of the journal of views that the store does not have yet.",
                            [folder = data_dir / "journal"] { return static_cast<double>(folder_bytes(folder)); });
  metrics.register_callback(Kind::Gauge, "kbase_data_free_bytes", "Free bytes on the disk of data_dir.", [data_dir] {
    std::error_code failed;
    const auto space = std::filesystem::space(data_dir, failed);
    return failed ? 0.0 : static_cast<double>(space.available);
  });
}

/// nullopt: the service is disabled.
std::optional<double> state_value(ports::ServiceState state) {
  if (state == ports::ServiceState::Disabled) return std::nullopt;
  return state == ports::ServiceState::Up ? 1.0 : 0.0;
}

void register_service_metrics(ports::Metrics& metrics, const ports::ServiceMonitor& monitor) {
  constexpr std::pair<ports::Service, std::string_view> kServices[] = {
      {ports::Service::Storage, "storage"},     {ports::Service::Search, "search"},
      {ports::Service::Indexing, "indexing"},   {ports::Service::Cache, "cache"},
      {ports::Service::Codehost, "codehost"},   {ports::Service::Llm, "llm"},
      {ports::Service::RateLimit, "rate_limit"}};
  for (const auto& [service, name] : kServices)
    metrics.register_callback(
        Kind::Gauge, "kbase_service_up", "1 if the last health check of an enabled service succeeded, else 0.",
        [&monitor, service = service] { return state_value(monitor.state(service)); }, {{"service", name}});
}

void register_readiness_metrics(ports::Metrics& metrics, const runtime::ServerReadiness& readiness) {
  metrics.register_callback(Kind::Gauge, "kbase_ready",
                            "1 if this server should receive requests (GET /readyz), else 0.",
                            [&readiness] { return readiness.obstacles().empty() ? 1.0 : 0.0; });
  metrics.register_callback(Kind::Gauge, "kbase_index_lag_revisions",
                            "Store revisions that the search index does not have yet.",
                            [&readiness] { return static_cast<double>(readiness.index_lag()); });
  metrics.register_callback(Kind::Gauge, "kbase_index_documents", "Items in the search index.",
                            [&readiness] { return static_cast<double>(readiness.index_documents()); });
}

/// Discards all import events: an import at startup reports only its error.
class SilentImport final : public ports::ImportObserver {
 public:
  void on_progress(const ports::ContentSource&, std::uint64_t) override {}
  void on_reject(const ports::SourcePosition&, std::string_view, std::string_view) override {}
  void on_duplicate(const ports::SourcePosition&, std::string_view) override {}
  void on_unknown(const ports::ContentRecord&) override {}
  void on_nothing(const ports::ContentSource&) override {}
  void on_batch(const ports::ImportReport&) override {}
};

/// Imports the sources of `storage.config.load` into a storage that does not persist. No sources: no effect.
Status import_sources(const config::Settings& settings, Stores& stores, const Platform& platform, Backends& backends) {
  const std::vector<std::string>& names = settings.storage.load;
  if (names.empty()) return {};
  std::vector<std::unique_ptr<ports::ContentSource>> sources;
  std::vector<ports::ContentSource*> source_pointers;
  ports::Call call;
  for (const std::string& name : names) {
    auto source = KBASE_TRY(open_source(name, {}, {}, settings, platform, backends, call));
    source_pointers.push_back(source.get());
    sources.push_back(std::move(source));
  }
  ports::ImportReport report;
  SilentImport observer;
  usecases::TransferContent transfer(*stores.items, *stores.activity, platform.markup, platform.clock);
  ports::ImportOptions options;
  options.base_url = settings.content.base_url;
  return transfer.import(call, source_pointers, options, observer, report);
}

}  // namespace

Environment::Environment(const config::Settings& config, Platform& machine, ServeLocks held,
                         std::string_view log_secret)
    : settings(config),
      platform(machine),
      locks(std::move(held)),
      pseudonyms(log_secret),
      signatures(settings.rate_limit.secret.empty() ? log_secret : std::string_view(settings.rate_limit.secret)),
      backends(settings, platform, &metrics) {
  register_build_metrics(metrics);
  register_disk_metrics(metrics, settings.data_dir);
}

Result<std::unique_ptr<Environment>> open_environment(const config::Settings& settings, Platform& platform) {
  KBASE_TRY(prepare_data_dir(settings));
  auto locks = KBASE_TRY(acquire_locks(settings));
  KBASE_TRY(prepare_upload_folder(settings));
  const auto log_secret = KBASE_TRY(load_log_secret(settings, platform));
  return std::make_unique<Environment>(settings, platform, std::move(locks), log_secret);
}

Storage::Storage(Environment& environment, Stores opened, runtime::ViewJournal journal)
    : env(environment),
      stores(std::move(opened)),
      views(env.platform.clock),
      view_flusher({views, *stores.activity, env.platform.clock, env.platform.log}, std::move(journal)),
      flush_seconds_(env.metrics.histogram("kbase_view_flush_duration_seconds",
                                           "Duration of a write of counted views to the store.", kFlushBounds, {})),
      flush_failures_(env.metrics.counter("kbase_view_flush_failures_total",
                                          "Failed writes of counted views to the store; the views wait.", {})) {}

Status Storage::load() {
  auto imported = import_sources(env.settings, stores, env.platform, env.backends);
  return imported ? view_flusher.recover() : imported;
}

void Storage::flush_views() {
  const auto start = env.platform.clock.steady();
  view_flusher.flush();
  flush_seconds_.observe(std::chrono::duration<double>(env.platform.clock.steady() - start).count());
  if (view_flusher.last_flush_failed()) flush_failures_.add();
}

Result<std::unique_ptr<Storage>> open_storage(Environment& env) {
  auto stores = KBASE_TRY(env.backends.open_stores());
  auto journal = KBASE_TRY(
      runtime::ViewJournal::open(std::filesystem::path(env.settings.data_dir) / "journal", env.platform.random));
  return std::make_unique<Storage>(env, std::move(stores), std::move(journal));
}

Search::Search(Environment& env, Storage& storage, WritableIndex opened)
    : index(std::move(opened)),
      synonyms(*storage.stores.items, [](std::string_view word) { return text::fold_accents(text::fold_case(word)); }),
      items(*index.port, *storage.stores.items, synonyms),
      catalog({*storage.stores.items, *storage.stores.activity, *index.port, storage.views, env.platform.clock}),
      statistics({*storage.stores.items, *storage.stores.activity, storage.views, env.platform.clock}) {}

Result<std::unique_ptr<Search>> open_search(Environment& env, Storage& storage) {
  auto index = KBASE_TRY(env.backends.open_index(storage.stores));
  return std::make_unique<Search>(env, storage, std::move(index));
}

Result<Upstreams> open_upstreams(Environment& env, ports::RateLimitStore& token_limiter) {
  auto cache = KBASE_TRY(env.backends.open_cache());
  auto codehost = KBASE_TRY(CodeHostService::open(
      {env.settings, env.platform, env.backends, cache.get(), runtime::make_look_up_counter(env.metrics)}));
  auto llm = KBASE_TRY(LanguageModelService::open({env.settings, env.platform, env.backends, token_limiter}));
  runtime::MeteredCompletions completions(llm->completions(), env.platform.clock, env.metrics);
  return Upstreams{std::move(cache), std::move(codehost), std::move(llm), completions};
}

Health::Health(Environment& env, Storage& storage, Search& search, ports::Cache* cache)
    : checker({*storage.stores.items, *search.index.port, cache, env.platform.clock, env.platform.log}),
      readiness({*storage.stores.items, *search.index.port, checker, env.platform.clock}),
      report(checker, env.platform.clock) {
  register_service_metrics(env.metrics, checker);
  register_readiness_metrics(env.metrics, readiness);
}

Access::Access(Environment& environment, Storage& storage, ports::RateLimitStore& request_limiter)
    : env(environment),
      store(*storage.stores.keys),
      keys(env.settings.keys, store),
      key_cache(keys, env.platform.clock),
      plans(env.settings.plans, env.settings.rate_limit.origins),
      admission({key_cache, request_limiter, plans, env.platform.digest, env.platform.clock}),
      usage(store, env.platform.clock, env.platform.log),
      counted_admission({admission, usage, env.metrics, env.platform.clock}),
      access(counted_admission, env.platform.clock, env.platform.random) {}

void Access::warn_about_missing_plans() {
  const auto listed = runtime::list_keys_without_plan(
      store, [this](const std::string& plan) { return !plans.find(plan); }, env.platform.clock);
  if (!listed || listed->empty()) return;
  const ports::LogField fields[] = {{"keys", *listed}};
  env.platform.log.log(ports::LogLevel::Warning, "keys.plan_unknown",
                       "the configuration has no plan for some keys; they get the public limits", fields);
}

Status Access::reload(const config::Settings& settings) {
  // The plans of configured keys and origins were validated when the configuration was read.
  // Keys that had no plan before lose nothing: a warning was logged at start.
  const auto is_removed = [&](const std::string& plan) {
    return plans.find(plan) && std::none_of(settings.plans.begin(), settings.plans.end(),
                                            [&](const model::Plan& other) { return other.name == plan; });
  };
  const auto listed = runtime::list_keys_without_plan(store, is_removed, env.platform.clock);
  if (!listed) {
    Error error = listed.error();
    error.message = "cannot check whether keys would lose their plan (" + error.message +
                    "); nothing was changed; fix the key store and reload again";
    return error;
  }
  if (!listed->empty())
    return invalid_argument("plans", "these keys would lose their plan: " + *listed +
                                         "; keep these plans, or give the keys other plans with "
                                         "`kbase keys update`");
  plans.replace(settings.plans, settings.rate_limit.origins);
  keys.replace(settings.keys);
  key_cache.clear();
  return {};
}

}  // namespace kbase::composition
