// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "adapters/curl/options.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"

namespace kbase::curl {

/// Public facts about an origin.
struct OriginInfo {
  std::string origin;                              ///< "https://api.example.org:443"
  std::optional<model::Instant> date;              ///< its clock, to the second, from the Date of the response
  std::optional<model::Instant> certificate_ends;  ///< end of its own certificate; nullopt: no TLS
};

/// Sends one HEAD request without credentials to the URL and waits for the response; any status counts as success.
/// `options` are those of the client for the same service. Errors: those of an exchange of that client;
/// InvalidArgument: `url` is not valid.
Result<OriginInfo> probe_origin(const std::string& url, const ClientOptions& options);

}  // namespace kbase::curl
