// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "adapters/http/server.hpp"
#include "app/runtime/server_readiness.hpp"
#include "app/runtime/worker_pool.hpp"
#include "ports/driven/metrics.hpp"
#include "ports/driven/service_monitor.hpp"

/// The figures that parts of the server keep anyway, as metrics. What is watched outlives the last exposure.
namespace kbase::composition {

void watch_build(ports::Metrics& metrics);
void watch_services(ports::Metrics& metrics, const ports::ServiceMonitor& monitor);
void watch_readiness(ports::Metrics& metrics, const runtime::ServerReadiness& readiness);
/// What a disk that fills up shows first: the journal that grows, and the room that is left.
void watch_disk(ports::Metrics& metrics, const std::filesystem::path& data_dir);
void watch_pool(ports::Metrics& metrics, std::string_view name, const runtime::WorkerPool& pool);
/// What a pool is to tell its waits to.
ports::Histogram& pool_waits(ports::Metrics& metrics, std::string_view name);

void watch_connections(ports::Metrics& metrics, const http::Server& server);

}  // namespace kbase::composition
