// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::cli {

/// An upstream service that a section of the configuration selects.
struct AskedService {
  std::string_view section;
  const std::string& config;  ///< configuration of its plugin as JSON text
};

/// Returns a hint that names the settings for the connection to the service.
std::string way_to(const AskedService& service);

/// Returns a remedy for the service's error that names the settings concerned. Empty: the error is sufficient.
std::string way_out(const model::Error& error, const AskedService& service);

/// Calls fail or fail_usage, depending on the error, and prints the remedy.
int fail_at_service(const model::Error& error, const AskedService& service);

}  // namespace kbase::cli
