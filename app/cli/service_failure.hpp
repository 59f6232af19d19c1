// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::cli {

/// An upstream service that a section of the configuration selects.
struct UpstreamService {
  std::string_view section;
  const std::string& config;  ///< configuration of its plugin as JSON text
};

/// Returns a hint that names the settings for the connection to the service.
std::string connection_hint(const UpstreamService& service);

/// Returns a remedy for the service's error that names the settings concerned. Empty: the error is sufficient.
std::string remedy_for(const Error& error, const UpstreamService& service);

/// Calls fail or fail_usage, depending on the error, and prints the remedy.
int fail_at_service(const Error& error, const UpstreamService& service);

}  // namespace kbase::cli
