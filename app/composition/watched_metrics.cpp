// SPDX-License-Identifier: Apache-2.0
#include "app/composition/watched_metrics.hpp"

#include <array>
#include <optional>
#include <utility>

#include "app/config/version.hpp"

namespace kbase::composition {
namespace {

using Kind = ports::Metrics::Kind;

/// Sums the file sizes in `folder`; files that disappear meanwhile are skipped.
std::uintmax_t bytes_in(const std::filesystem::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed)) {
    std::error_code gone;
    const auto size = file->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

/// nullopt: the service is disabled.
std::optional<double> up_or_down(ports::ServiceState state) {
  if (state == ports::ServiceState::Disabled) return std::nullopt;
  return state == ports::ServiceState::Up ? 1.0 : 0.0;
}

}  // namespace

void watch_build(ports::Metrics& metrics) {
  metrics.watch(Kind::Gauge, "kbase_build_info", "Always 1; its labels say which program this is.", [] { return 1.0; },
                {{"version", config::kVersion}, {"compiler", KBASE_COMPILER}});
}

void watch_services(ports::Metrics& metrics, const ports::ServiceMonitor& monitor) {
  constexpr std::pair<ports::Service, std::string_view> kServices[] = {
      {ports::Service::Storage, "storage"},     {ports::Service::Search, "search"},
      {ports::Service::Indexing, "indexing"},   {ports::Service::Cache, "cache"},
      {ports::Service::Codehost, "codehost"},   {ports::Service::Llm, "llm"},
      {ports::Service::RateLimit, "rate_limit"}};
  for (const auto& [service, name] : kServices)
    metrics.watch(Kind::Gauge, "kbase_service_up",
                  "Whether a part of the service that is not off answered its last probe.",
                  [&monitor, service = service] { return up_or_down(monitor.state(service)); }, {{"service", name}});
}

void watch_readiness(ports::Metrics& metrics, const runtime::ServerReadiness& readiness) {
  metrics.watch(Kind::Gauge, "kbase_ready", "Whether this server should be given requests, as /readyz says.",
                [&readiness] { return readiness.obstacles().empty() ? 1.0 : 0.0; });
  metrics.watch(Kind::Gauge, "kbase_index_lag_revisions",
                "Changes of the store that the search index does not have yet.",
                [&readiness] { return static_cast<double>(readiness.index_lag()); });
  metrics.watch(Kind::Gauge, "kbase_index_documents", "Items that the search index has.",
                [&readiness] { return static_cast<double>(readiness.index_documents()); });
}

void watch_disk(ports::Metrics& metrics, const std::filesystem::path& data_dir) {
  metrics.watch(Kind::Gauge, "kbase_view_journal_bytes", "Bytes of counted views that the store does not have yet.",
                [folder = data_dir / "journal"] { return static_cast<double>(bytes_in(folder)); });
  metrics.watch(Kind::Gauge, "kbase_data_free_bytes", "Bytes that are left on the disk of data_dir.", [data_dir] {
    std::error_code failed;
    const auto space = std::filesystem::space(data_dir, failed);
    return failed ? 0.0 : static_cast<double>(space.available);
  });
}

void watch_pool(ports::Metrics& metrics, std::string_view name, const runtime::WorkerPool& pool) {
  const auto watch = [&](Kind kind, std::string_view metric, std::string_view help, auto member) {
    metrics.watch(kind, metric, help, [&pool, member] { return static_cast<double>(pool.stats().*member); },
                  {{"pool", name}});
  };
  using Stats = runtime::WorkerPool::Stats;
  watch(Kind::Gauge, "kbase_pool_threads", "Threads of a pool.", &Stats::threads);
  watch(Kind::Gauge, "kbase_pool_busy_threads", "Threads of a pool that are at work.", &Stats::busy);
  watch(Kind::Gauge, "kbase_pool_queue_length", "Work that waits for a thread of a pool.", &Stats::queued);
  watch(Kind::Counter, "kbase_pool_refused_total", "Work that a pool had no room for.", &Stats::refused);
  watch(Kind::Counter, "kbase_pool_late_total", "Work that waited too long for a thread of a pool to be done.",
        &Stats::late);
}

ports::Histogram& pool_waits(ports::Metrics& metrics, std::string_view name) {
  constexpr std::array<double, 9> kBounds = {0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1};
  return metrics.histogram("kbase_pool_queue_duration_seconds", "How long work waited for a thread of a pool.", kBounds,
                           {{"pool", name}});
}

void watch_connections(ports::Metrics& metrics, const http::Server& server) {
  const auto watch = [&](Kind kind, std::string_view metric, std::string_view help, auto member) {
    metrics.watch(kind, metric, help, [&server, member] { return static_cast<double>(server.connections().*member); });
  };
  using Stats = http::ConnectionCount::Stats;
  watch(Kind::Gauge, "kbase_http_open_connections", "Open connections.", &Stats::open);
  watch(Kind::Counter, "kbase_http_connections_total", "Connections that were accepted.", &Stats::opened);
  watch(Kind::Counter, "kbase_http_refused_connections_total", "Of these, those that found no room.", &Stats::refused);
}

}  // namespace kbase::composition
