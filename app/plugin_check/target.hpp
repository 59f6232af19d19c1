// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/configuration.hpp"
#include "app/plugin_check/port_access.hpp"

namespace kbase::plugin_check {

/// The plugin to check.
struct Target {
  std::filesystem::path file;  ///< absolute
  std::optional<GivenConfiguration> configuration;
};

/// The plugin's descriptor, read in a separate process; no plugin code runs in the checker's process.
struct OfferedPort {
  const PortAccess* access = nullptr;
  std::optional<std::string> config_schema;
};
struct Description {
  std::string id;
  std::string version;
  std::string vendor;
  std::string license;
  std::vector<OfferedPort> ports;
};

/// Reads the descriptor in a separate process. nullopt: a server would not load the plugin; the checks report why.
std::optional<Description> describe(const Target& target);

/// Checks of the plugin as a file and as a shared object.
Checks plugin_checks(const Target& target);

/// Checks of every table, for any port.
Checks table_checks(const Target& target, const PortAccess& port);

/// The contract suite of the port, run through the server's proxies. Empty: the port has none.
Checks suite_checks(const Target& target, const PortAccess& port);

}  // namespace kbase::plugin_check
