// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "adapters/http/server.hpp"
#include "app/runtime/server_readiness.hpp"
#include "app/runtime/worker_pool.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/service_monitor.hpp"

/// Exposes values that parts of the server already keep as metrics. The observed parts must outlive the last
/// exposition.
namespace kbase::composition {

void watch_build(ports::Metrics& metrics);
void watch_services(ports::Metrics& metrics, const ports::ServiceMonitor& monitor);
void watch_readiness(ports::Metrics& metrics, const runtime::ServerReadiness& readiness);
/// Exposes the first signs of a full disk: the size of the view journal and the free bytes.
void watch_disk(ports::Metrics& metrics, const std::filesystem::path& data_dir);
void watch_pool(ports::Metrics& metrics, std::string_view name, const runtime::WorkerPool& pool);
/// Returns the histogram of the queue times of a pool.
ports::Histogram& pool_waits(ports::Metrics& metrics, std::string_view name);

void watch_connections(ports::Metrics& metrics, const http::Server& server);

}  // namespace kbase::composition
