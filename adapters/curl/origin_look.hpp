// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "adapters/curl/options.hpp"
#include "domain/model/day.hpp"
#include "domain/model/result.hpp"

namespace kbase::curl {

/// What an origin tells everybody.
struct OriginLook {
  std::string origin;                              ///< "https://api.example.org:443"
  std::optional<model::Instant> date;              ///< its clock, to the second, as the answer's Date says
  std::optional<model::Instant> certificate_ends;  ///< of its own certificate; nullopt: no TLS
};

/// Sends one HEAD without any secret to the URL and waits for the answer, whose status does not matter. The options are
/// those of the client that asks the same service. Errors: as an exchange of that client; InvalidArgument: no URL.
model::Result<OriginLook> look_at_origin(const std::string& url, const ClientOptions& options);

}  // namespace kbase::curl
