// SPDX-License-Identifier: Apache-2.0
#include "app/composition/service.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "adapters/http/server.hpp"
#include "app/composition/explorer_site.hpp"
#include "app/composition/first_content.hpp"
#include "app/composition/opened.hpp"
#include "app/composition/planless_keys.hpp"
#include "app/composition/server_options.hpp"
#include "app/composition/watched_metrics.hpp"
#include "app/config/version.hpp"
#include "app/runtime/configured_keys.hpp"
#include "app/runtime/counted_access.hpp"
#include "app/runtime/counted_views.hpp"
#include "app/runtime/index_updater.hpp"
#include "app/runtime/key_cache.hpp"
#include "app/runtime/last_quota.hpp"
#include "app/runtime/metered_completions.hpp"
#include "app/runtime/periodic_task.hpp"
#include "app/runtime/plan_table.hpp"
#include "app/runtime/server_readiness.hpp"
#include "app/runtime/service_probes.hpp"
#include "app/runtime/usage_counter.hpp"
#include "app/runtime/view_flusher.hpp"
#include "app/runtime/view_publisher.hpp"
#include "app/runtime/worker_pool.hpp"
#include "domain/usecases/admit_request.hpp"
#include "domain/usecases/browse_catalog.hpp"
#include "domain/usecases/report_health.hpp"
#include "domain/usecases/report_statistics.hpp"
#include "domain/usecases/search_items.hpp"

namespace kbase::composition {
namespace {

/// Threads of each pool that calls a back end; a thread has at most one call in progress.
constexpr unsigned kWorkerThreads = 4;
constexpr std::chrono::milliseconds kJournalPause{100};
constexpr std::chrono::milliseconds kFlushPause{500};
constexpr std::chrono::milliseconds kPublishPause{2000};
constexpr std::chrono::milliseconds kFollowPause{200};
constexpr std::chrono::milliseconds kProbePause{1000};
constexpr std::chrono::milliseconds kKeyPause{1000};
constexpr std::chrono::milliseconds kUsagePause{2000};
constexpr std::chrono::milliseconds kLatePause{50};
constexpr std::string_view kPoolName = "work";
constexpr std::string_view kSearchPoolName = "search";
constexpr std::string_view kBothPoolName = "both";
constexpr std::string_view kCodehostPoolName = "codehost";
constexpr std::string_view kLlmPoolName = "llm";
constexpr std::array<double, 8> kFlushBounds = {0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5};  // seconds
/// A store with at most this many revisions is indexed before the first request; a larger one while requests are
/// served.
constexpr model::Revision kIndexedAtOnce = 10'000;

std::string url_of(const std::string& address, std::uint16_t port) {
  const bool is_ipv6 = address.find(':') != std::string::npos;
  return "http://" + (is_ipv6 ? '[' + address + ']' : address) + ':' + std::to_string(port);
}

}  // namespace

/// Members are constructed from top to bottom and destroyed in reverse: each member uses only members declared before
/// it.
struct Service::Parts : Opened {
  Parts(const config::Settings& wanted, Platform& machine, Opened opened)
      : Opened(std::move(opened)),
        settings(wanted),
        platform(machine),
        pseudonyms(log_secret),
        view_flush_seconds(metrics->histogram("kbase_view_flush_duration_seconds",
                                              "What bringing counted views to the store took.", kFlushBounds, {})),
        view_flush_failures(metrics->counter("kbase_view_flush_failures_total",
                                             "Times that views could not be brought to the store and wait.", {})),
        views(platform.clock),
        flusher({views, *stores.activity, platform.clock, platform.log}, std::move(journal)),
        publisher(
            {views, *stores.activity, *stores.items, *index.port, platform.clock, platform.log, index.lease.get()}),
        keys(wanted.keys, *stores.keys),
        key_cache(keys, platform.clock),
        plans(wanted.plans, wanted.rate_limit.origins),
        probes({*stores.items, *index.port, cache.get(), platform.clock, platform.log}),
        readiness({*stores.items, *index.port, probes, platform.clock}),
        updater({*stores.items, *index.port, probes, readiness, platform.clock, platform.log, index.lease.get()}),
        search(*index.port),
        catalog({*stores.items, *stores.activity, *index.port, views, platform.clock}),
        statistics({*stores.items, *stores.activity, views, platform.clock}),
        health(probes, platform.clock),
        completions(llm->completions(), platform.clock, *metrics),
        admission({key_cache, rate_limiter.requests(), plans, platform.digest, platform.clock}),
        usage(*stores.keys, platform.clock, platform.log),
        counted_access({admission, usage, *metrics, platform.clock}),
        access(counted_access, platform.clock, platform.random) {
    watch_build(*metrics);
    watch_services(*metrics, probes);
    watch_readiness(*metrics, readiness);
    watch_disk(*metrics, settings.data_dir);
  }
  ~Parts() {
    updater.stop();
    publisher.stop();
  }

  const config::Settings& settings;
  Platform& platform;
  system::HmacPseudonyms pseudonyms;
  ports::Histogram& view_flush_seconds;
  ports::Counter& view_flush_failures;

  runtime::CountedViews views;
  runtime::ViewFlusher flusher;
  runtime::ViewPublisher publisher;
  runtime::ConfiguredKeys keys;
  runtime::KeyCache key_cache;
  runtime::PlanTable plans;
  runtime::ServiceProbes probes;
  runtime::ServerReadiness readiness;
  runtime::IndexUpdater updater;

  usecases::SearchItems search;
  usecases::BrowseCatalog catalog;
  usecases::ReportStatistics statistics;
  usecases::ReportHealth health;
  runtime::MeteredCompletions completions;
  usecases::AdmitRequest admission;
  runtime::UsageCounter usage;
  runtime::CountedAccess counted_access;
  runtime::LastQuota access;

  std::unique_ptr<runtime::WorkerPool> workers, search_workers, both_workers, codehost_workers, llm_workers;
  std::atomic<std::chrono::steady_clock::time_point> tellers_turn{platform.clock.steady()};
  std::unique_ptr<runtime::PeriodicTask> journal_task, view_task, view_publisher, index_updater, rate_limiter_task,
      watcher, codehost_watcher, llm_watcher, key_watcher, usage_task, late_teller;
  std::unique_ptr<http::Server> server, admin;  // declared last: `admin` shows the state of the other members

  void say_what_is_served();
  void warn_of_planless_keys();
  std::unique_ptr<runtime::WorkerPool> start_pool(std::string_view name, std::size_t threads);
  void start_background();
  void flush_views();
  model::Status start_admin();
  model::Status start_server();
};

Service::Service(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Service::~Service() = default;

model::Result<std::unique_ptr<Service>> Service::start(const config::Settings& settings, Platform& platform) {
  auto opened = open_all(settings, platform);
  if (!opened) return opened.error();
  auto parts = std::make_unique<Parts>(settings, platform, *std::move(opened));
  if (auto started = parts->start_admin(); !started) return started.error();
  if (auto loaded = load_content(settings.storage.load, parts->stores, platform.clock); !loaded) return loaded.error();
  if (auto recovered = parts->flusher.recover(); !recovered) return recovered.error();
  parts->say_what_is_served();
  parts->start_background();
  if (auto started = parts->start_server(); !started) return started.error();
  return std::unique_ptr<Service>(new Service(std::move(parts)));
}

void Service::Parts::say_what_is_served() {
  ports::Call call;
  const auto totals = stores.items->totals(call, model::day_of(platform.clock.now()));
  std::uint64_t key_count = 0;
  const auto counted = keys.list(call, [&](const model::ApiKey&) {
    ++key_count;
    return model::Visit::Continue;
  });
  std::error_code ignored;
  const std::string folder = std::filesystem::absolute(settings.data_dir, ignored).string();
  const std::string items = totals ? std::to_string(totals->items) : "unknown";
  const std::string key_text = counted ? std::to_string(key_count) : "unknown";
  const ports::LogField fields[] = {
      {"version", config::kVersion},      {"data_dir", folder}, {"storage", settings.storage.plugin},
      {"search", settings.search.plugin}, {"items", items},     {"keys", key_text}};
  platform.log.log(ports::LogLevel::Info, "server.opened", "the knowledge base is open", fields);
  warn_of_planless_keys();
}

void Service::Parts::warn_of_planless_keys() {
  const auto planless = planless_keys(
      *stores.keys, [this](const std::string& plan) { return !plans.find(plan); }, platform.clock);
  if (!planless || planless->empty()) return;
  const ports::LogField fields[] = {{"keys", *planless}};
  platform.log.log(ports::LogLevel::Warning, "keys.plan_unknown",
                   "keys have plans that the configuration lacks; they get the public limits", fields);
}

std::unique_ptr<runtime::WorkerPool> Service::Parts::start_pool(std::string_view name, std::size_t threads) {
  const runtime::QueueLimits limits{settings.server.max_queue_length, settings.server.max_queue_time};
  ports::Histogram& waits = pool_waits(*metrics, name);
  auto pool = std::make_unique<runtime::WorkerPool>(threads, limits, platform.clock, &waits);
  watch_pool(*metrics, name, *pool);
  return pool;
}

void Service::Parts::start_background() {
  workers = start_pool(kPoolName, kWorkerThreads);
  search_workers = start_pool(kSearchPoolName, kWorkerThreads);
  both_workers = start_pool(kBothPoolName, kWorkerThreads);
  // A disabled service fails at once, so one thread is enough.
  const auto threads_for = [](const auto& section) {
    return section.plugin == config::kNoPlugin ? std::size_t{1} : section.max_concurrent;
  };
  codehost_workers = start_pool(kCodehostPoolName, threads_for(settings.codehost));
  llm_workers = start_pool(kLlmPoolName, threads_for(settings.llm));
  late_teller = std::make_unique<runtime::PeriodicTask>(kLatePause, [this] {
    for (const auto* const pool : {&workers, &search_workers, &both_workers, &codehost_workers, &llm_workers})
      (*pool)->tell_late();
    tellers_turn = platform.clock.steady();
  });
  ports::Call call;
  if (const auto revision = stores.items->revision(call); revision && *revision <= kIndexedAtOnce) updater.keep();
  probes.probe();
  journal_task = std::make_unique<runtime::PeriodicTask>(kJournalPause, [this] { flusher.write_journal(); });
  view_task = std::make_unique<runtime::PeriodicTask>(kFlushPause, [this] { flush_views(); });
  view_publisher = std::make_unique<runtime::PeriodicTask>(kPublishPause, [this] { publisher.publish(); });
  index_updater = std::make_unique<runtime::PeriodicTask>(kFollowPause, [this] {
    updater.keep();
    updater.await_change();
  });
  rate_limiter_task = watch_rate_limiter(rate_limiter, probes);
  watcher = std::make_unique<runtime::PeriodicTask>(kProbePause, [this] {
    probes.probe();
    readiness.look();  // also here, because following a large index takes long
  });
  codehost_watcher = codehost->watch(probes);
  llm_watcher = llm->watch(probes);
  // In its own thread, so that a health check that hangs does not delay the revocation of keys.
  key_watcher = std::make_unique<runtime::PeriodicTask>(kKeyPause, [this] { key_cache.refresh(); });
  usage_task = std::make_unique<runtime::PeriodicTask>(kUsagePause, [this] {
    static_cast<void>(usage.flush());  // flush() logs failures and retries
  });
}

void Service::Parts::flush_views() {
  const auto began = platform.clock.steady();
  flusher.flush();
  view_flush_seconds.observe(std::chrono::duration<double>(platform.clock.steady() - began).count());
  if (flusher.is_in_trouble()) view_flush_failures.add();
}

model::Status Service::Parts::start_server() {
  const http::Executors executors{*workers, *search_workers, *both_workers, *codehost_workers, *llm_workers};
  const http::Services services{
      search,         catalog,         statistics,   health,     access,   codehost->users(), completions,
      platform.clock, platform.random, platform.log, pseudonyms, *metrics, executors};
  auto site = explorer_site(settings, platform.log);
  if (!site) return site.error();
  http::ServerOptions options = server_options(settings, *stores.items, *index.port);
  options.site = *std::move(site);
  auto started = http::Server::start(options, services);
  if (!started) return started.error();
  server = *std::move(started);
  watch_connections(*metrics, *server);
  readiness.set(runtime::ServerReadiness::Phase::Serving);
  return {};
}

/// Starts the admin listener if one is configured.
model::Status Service::Parts::start_admin() {
  if (!settings.admin.port) return {};
  auto started = http::Server::start_admin(admin_options(settings),
                                           {*metrics, readiness, platform.clock, platform.random, platform.log});
  if (!started) return started.error();
  admin = *std::move(started);
  const std::string url = url_of(settings.admin.address, admin->port());
  const ports::LogField fields[] = {{"url", url}};
  platform.log.log(ports::LogLevel::Info, "admin.opened", "metrics and probes can be asked for", fields);
  return {};
}

std::string Service::url() const {
  const config::Server& server = parts_->settings.server;
  return url_of(server.address, parts_->server->port()) + server.base_path;
}

std::chrono::steady_clock::time_point Service::last_turn() const {
  const auto answering = std::min(parts_->server->last_turn(), parts_->tellers_turn.load());
  return parts_->admin ? std::min(answering, parts_->admin->last_turn()) : answering;
}

model::Status Service::reload(const config::Settings& settings) {
  // The plans of configured keys and origins were validated when the configuration was read.
  // Keys that had no plan before lose nothing: a warning was logged at start.
  const auto is_dropped = [&](const std::string& plan) {
    return parts_->plans.find(plan) && std::none_of(settings.plans.begin(), settings.plans.end(),
                                                    [&](const model::Plan& kept) { return kept.name == plan; });
  };
  const auto planless = planless_keys(*parts_->stores.keys, is_dropped, parts_->platform.clock);
  if (!planless) {
    model::Error error = planless.error();
    error.message = "whether keys have plans that would be gone cannot be told (" + error.message +
                    "), so nothing was changed; see to the store, and reload again";
    return error;
  }
  if (!planless->empty())
    return model::invalid_argument("plans", "keys have plans that would be gone: " + *planless +
                                                "; keep those plans, or give the keys others with `kbase keys update`");
  parts_->plans.replace(settings.plans, settings.rate_limit.origins);
  parts_->keys.replace(settings.keys);
  parts_->key_cache.clear();
  parts_->platform.log.set_level(settings.logging.level);
  return {};
}

void Service::drain() {
  parts_->platform.log.log(ports::LogLevel::Info, "server.draining", "finishing what is in flight");
  parts_->readiness.set(runtime::ServerReadiness::Phase::Draining);
  parts_->server->drain();
  parts_->updater.stop();
  parts_->index_updater->stop();
  parts_->watcher->stop();
  parts_->key_watcher->stop();
  parts_->publisher.stop();
  parts_->view_publisher->stop();
  parts_->journal_task->stop();
  parts_->flusher.write_journal();
  parts_->view_task->stop();
  parts_->flusher.flush();
  parts_->usage_task->stop();
  const bool is_written = parts_->usage.finish() && !parts_->flusher.has_unwritten();
  if (parts_->admin) parts_->admin->drain();
  parts_->platform.log.log(is_written ? ports::LogLevel::Info : ports::LogLevel::Warning, "server.stopped",
                           is_written ? "everything is written" : "not everything could be written; see above");
}

}  // namespace kbase::composition
