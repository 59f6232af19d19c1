// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/model/result.hpp"

namespace kbase::composition {

/// What a running server answered to GET /health.
struct HealthAnswer {
  std::uint32_t status = 0;
  std::string body;
};

/// Where a server of these settings is reached from its own machine: "http://ADDRESS:PORT/api/v1". InvalidArgument: it
/// takes any free port.
model::Result<std::string> own_url(const config::Server& settings);

/// Asks the server at `url`, which the line on its standard output names, once and through no proxy. InvalidArgument:
/// the URL is none. Unavailable, Deadline, BadUpstream: it did not answer.
model::Result<HealthAnswer> ask_health(std::string url, std::chrono::milliseconds timeout, Platform& platform);

}  // namespace kbase::composition
