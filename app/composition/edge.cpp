// SPDX-License-Identifier: Apache-2.0
#include "app/composition/edge.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "adapters/http/server.hpp"
#include "app/composition/configured_files.hpp"
#include "app/config/version.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {
namespace {

using Kind = ports::Metrics::Kind;

/// Threads of each pool that calls a back end; a thread has at most one call in progress.
constexpr std::size_t kPoolThreads = 4;
constexpr std::chrono::milliseconds kQueueTimeoutPause{50};
constexpr std::size_t kAdminConnections = 64;
constexpr std::chrono::milliseconds kAdminDrain{1000};

http::LoggedAddress logged_address(config::ClientAddress mode) {
  switch (mode) {
    case config::ClientAddress::Hash: return http::LoggedAddress::Hash;
    case config::ClientAddress::Prefix: return http::LoggedAddress::Prefix;
    case config::ClientAddress::Full: return http::LoggedAddress::Full;
    case config::ClientAddress::None: break;
  }
  return http::LoggedAddress::None;
}

/// Returns the options of the API server, without `site`.
http::ServerOptions server_options(const config::Settings& settings, const ports::ItemStore& items,
                                   const ports::SearchIndex& index) {
  const config::Server& server_settings = settings.server;
  http::ServerOptions options;
  options.address = server_settings.address;
  options.port = server_settings.port;
  options.base_path = server_settings.base_path;
  options.threads = server_settings.threads;
  options.max_body_bytes = server_settings.max_body_bytes;
  options.max_body_bytes_total = server_settings.max_body_bytes_total;
  options.max_import_bytes = server_settings.max_import_bytes;
  options.max_connections = server_settings.max_connections;
  options.max_connections_per_address = server_settings.max_connections_per_address;
  options.header_timeout = server_settings.header_timeout;
  options.body_timeout = server_settings.body_timeout;
  options.idle_timeout = server_settings.idle_timeout;
  options.send_timeout = server_settings.send_timeout;
  options.request_timeout = server_settings.request_timeout;
  options.llm_timeout = settings.llm.timeout;
  options.stream_timeout = settings.llm.stream_timeout;
  options.drain_timeout = server_settings.drain_timeout;
  options.trusted_proxies = server_settings.trusted_proxies;
  options.cors = {server_settings.cors.allowed_origins, server_settings.cors.max_age};
  options.logged_address = logged_address(settings.logging.client_address);
  options.http_max_age = settings.cache.http_max_age;
  options.codehost_timeout = settings.codehost.timeout;
  options.codehost_needs_key = settings.codehost.require_key;
  options.program_version = config::kVersion;
  options.description = http::api_description(server_settings.base_path);
  options.search_fingerprint = index.fingerprint();
  options.inline_catalog = items.capabilities().inline_reads;
  options.inline_search = index.capabilities().inline_search;
  options.inline_quick_search = index.capabilities().inline_quick_search;
  return options;
}

/// Requires `settings.admin.port`.
http::ServerOptions admin_options(const config::Settings& settings) {
  http::ServerOptions options;
  options.section = "admin";
  options.address = settings.admin.address;
  options.port = *settings.admin.port;
  options.max_body_bytes = 0;
  options.max_connections = kAdminConnections;
  options.drain_timeout = kAdminDrain;
  return options;
}

void register_pool_metrics(ports::Metrics& metrics, std::string_view name, const runtime::WorkerPool& pool) {
  const auto add = [&](Kind kind, std::string_view metric, std::string_view help, auto member) {
    metrics.register_callback(kind, metric, help, [&pool, member] { return static_cast<double>(pool.stats().*member); },
                              {{"pool", name}});
  };
  using Stats = runtime::WorkerPool::Stats;
  add(Kind::Gauge, "kbase_pool_threads", "Threads of a pool.", &Stats::threads);
  add(Kind::Gauge, "kbase_pool_busy_threads", "Threads of a pool that run work.", &Stats::busy);
  add(Kind::Gauge, "kbase_pool_queue_length", "Work items that wait for a thread of a pool.", &Stats::queued);
  add(Kind::Counter, "kbase_pool_refused_total", "Work items refused because the queue of a pool was full or too slow.",
      &Stats::refused);
  add(Kind::Counter, "kbase_pool_late_total", "Work items dropped because they waited too long for a thread of a pool.",
      &Stats::late);
}

ports::Histogram& queue_time_histogram(ports::Metrics& metrics, std::string_view name) {
  constexpr std::array<double, 12> kBounds = {0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
  return metrics.histogram("kbase_pool_queue_duration_seconds", "Time that work waited for a thread of a pool.",
                           kBounds, {{"pool", name}});
}

void register_connection_metrics(ports::Metrics& metrics, const http::Server& server) {
  const auto add = [&](Kind kind, std::string_view metric, std::string_view help, auto member) {
    metrics.register_callback(kind, metric, help,
                              [&server, member] { return static_cast<double>(server.connections().*member); });
  };
  using Stats = http::ConnectionCount::Stats;
  add(Kind::Gauge, "kbase_http_open_connections", "Open connections.", &Stats::open);
  add(Kind::Counter, "kbase_http_connections_total", "Accepted connections.", &Stats::opened);
  add(Kind::Counter, "kbase_http_refused_connections_total",
      "Accepted connections that were closed because a connection limit was reached.", &Stats::refused);
}

std::unique_ptr<runtime::WorkerPool> start_pool(Environment& env, std::string_view name, std::size_t threads) {
  const runtime::QueueLimits limits{env.settings.server.max_queue_length, env.settings.server.max_queue_time};
  auto pool = std::make_unique<runtime::WorkerPool>(threads, limits, env.platform.clock,
                                                    &queue_time_histogram(env.metrics, name));
  register_pool_metrics(env.metrics, name, *pool);
  return pool;
}

/// Returns the number of threads that call an upstream service. A disabled service fails at once, so one thread is
/// enough.
template <class Section> std::size_t pool_threads(const Section& section) {
  return section.plugin == config::kNoPlugin ? 1 : section.max_concurrent;
}

std::string make_url(const std::string& address, std::uint16_t port) {
  const bool is_ipv6 = address.find(':') != std::string::npos;
  return "http://" + (is_ipv6 ? '[' + address + ']' : address) + ':' + std::to_string(port);
}

}  // namespace

Result<std::vector<http::ReservedPort>> reserve_ports(const config::Settings& settings) {
  std::vector<http::ReservedPort> ports;
  http::ServerOptions server;
  server.address = settings.server.address;
  server.port = settings.server.port;
  ports.push_back(KBASE_TRY(http::ReservedPort::take(server)));
  if (settings.admin.port) ports.push_back(KBASE_TRY(http::ReservedPort::take(admin_options(settings))));
  return ports;
}

Edge::Edge(const Dependencies& deps)
    : deps_(deps),
      writer_({*deps.storage.stores.items, *deps.storage.stores.activity, deps.env.platform.markup,
               deps.env.platform.clock},
              deps.env.settings.content.base_url, upload_folder(deps.env.settings)),
      store_pool_(start_pool(deps.env, "work", kPoolThreads)),
      search_pool_(start_pool(deps.env, "search", kPoolThreads)),
      both_pool_(start_pool(deps.env, "both", kPoolThreads)),
      codehost_pool_(start_pool(deps.env, "codehost", pool_threads(deps.env.settings.codehost))),
      llm_pool_(start_pool(deps.env, "llm", pool_threads(deps.env.settings.llm))),
      writing_pool_(start_pool(deps.env, "writing", kPoolThreads)),
      refusals_{{{"work", *store_pool_},
                 {"search", *search_pool_},
                 {"both", *both_pool_},
                 {"codehost", *codehost_pool_},
                 {"llm", *llm_pool_},
                 {"writing", *writing_pool_}}},
      queue_timeout_tick_(deps.env.platform.clock.steady()),
      queue_timeout_task_(kQueueTimeoutPause, [this] {
        for (const auto* const pool :
             {&store_pool_, &search_pool_, &both_pool_, &codehost_pool_, &llm_pool_, &writing_pool_})
          (*pool)->fail_late();
        const auto now = deps_.env.platform.clock.steady();
        for (runtime::RefusalLog& refusals : refusals_) refusals.update(deps_.env.platform.log, now);
        queue_timeout_tick_ = now;
      }) {}

Status Edge::start_server() {
  Platform& platform = deps_.env.platform;
  auto site = KBASE_TRY(
      load_site(deps_.env.settings, {deps_.search.catalog, deps_.search.items, markup_, markup_}, platform.log));
  pages_ = std::move(site.pages);
  const http::Services services{deps_.search.items,
                                deps_.search.catalog,
                                deps_.search.statistics,
                                deps_.health.report,
                                deps_.access.access,
                                writer_,
                                deps_.upstreams.codehost->users(),
                                deps_.upstreams.completions,
                                platform.clock,
                                platform.random,
                                platform.log,
                                deps_.env.pseudonyms,
                                deps_.env.signatures,
                                deps_.env.metrics,
                                {*store_pool_, *search_pool_, *both_pool_, *codehost_pool_, *llm_pool_, *writing_pool_},
                                pages_.get(),
                                deps_.accounts,
                                deps_.insights.port()};
  http::ServerOptions options =
      server_options(deps_.env.settings, *deps_.storage.stores.items, *deps_.search.index.port);
  options.site = std::move(site.files);
  options.site_origin =
      deps_.env.settings.explorer.url.empty() ? deps_.env.settings.signup.public_url : deps_.env.settings.explorer.url;
  options.has_visitors = deps_.env.settings.explorer.plan == model::kVisitorPlan;
  auto started = KBASE_TRY(http::Server::start(options, services));
  server_ = std::move(started);
  register_connection_metrics(deps_.env.metrics, *server_);
  deps_.health.readiness.set(runtime::ServerReadiness::Phase::Serving);
  return {};
}

Status Edge::start_admin() {
  const config::Settings& settings = deps_.env.settings;
  Platform& platform = deps_.env.platform;
  if (!settings.admin.port) return {};
  const bool has_insights = settings.insights.enabled;
  const std::function<std::string()> insights_page =
      has_insights ? [this] { return deps_.insights.page(); } : std::function<std::string()>();
  auto started = KBASE_TRY(http::Server::start_admin(
      admin_options(settings),
      {deps_.env.metrics, deps_.health.readiness, platform.clock, platform.random, platform.log, insights_page}));
  admin_ = std::move(started);
  const std::string admin_url = make_url(settings.admin.address, admin_->port());
  const ports::LogField fields[] = {{"url", admin_url}};
  platform.log.log(ports::LogLevel::Info, "admin.opened", "the admin listener accepts connections", fields);
  return {};
}

std::string Edge::url() const {
  const config::Server& server = deps_.env.settings.server;
  return make_url(server.address, server_->port()) + server.base_path;
}

std::string Edge::site_url() const {
  const std::string& address = deps_.env.settings.server.address;
  const bool is_any = address == "0.0.0.0" || address == "::";
  return make_url(is_any ? "localhost" : address, server_->port());
}

std::chrono::steady_clock::time_point Edge::last_iteration() const {
  const auto oldest = std::min(server_->last_iteration(), queue_timeout_tick_.load());
  return admin_ ? std::min(oldest, admin_->last_iteration()) : oldest;
}

void Edge::drain_admin() {
  if (admin_) admin_->drain();
}

}  // namespace kbase::composition
