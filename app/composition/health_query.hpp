// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "app/composition/platform.hpp"
#include "app/config/settings.hpp"
#include "domain/base/result.hpp"

namespace kbase::composition {

/// Reply of a running server to GET /health.
struct HealthReply {
  std::uint32_t status = 0;
  std::string body;
};

/// Returns the URL at which a server with these settings is reachable from its own machine:
/// "http://ADDRESS:PORT/api/v1". Error: InvalidArgument if the port is 0 (any free port).
Result<std::string> own_url(const config::Server& settings);

/// Sends one GET /health request to the server at `url`, without a proxy or retries. `url` is the one that the server
/// prints at start. Errors: InvalidArgument if `url` is not valid; Unavailable, Deadline or BadUpstream if there is no
/// usable reply.
Result<HealthReply> query_health(std::string url, std::chrono::milliseconds timeout, Platform& platform);

}  // namespace kbase::composition
