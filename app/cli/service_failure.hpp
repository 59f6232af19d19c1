// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/model/error.hpp"

namespace kbase::cli {

/// A service outside that a section of the configuration names.
struct AskedService {
  std::string_view section;
  const std::string& config;  ///< of its plugin, JSON text
};

/// Which settings lead to the service.
std::string way_to(const AskedService& service);

/// Where the configuration has the way out of what the service failed with, for whoever tries its section. Empty: the
/// error says so itself.
std::string way_out(const model::Error& error, const AskedService& service);

/// As fail and fail_usage, whichever suits, with the way out.
int fail_at_service(const model::Error& error, const AskedService& service);

}  // namespace kbase::cli
