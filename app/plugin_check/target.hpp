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

/// What is checked.
struct Target {
  std::filesystem::path file;  ///< absolute
  std::optional<GivenConfiguration> configuration;
};

/// What the file says of itself. Of it no code runs in the process of the checker, which is told of it.
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

/// Asks the plugin in a process of its own. nullopt: a server would not load it; the checks say why.
std::optional<Description> describe(const Target& target);

/// What every plugin must do as a file and as a shared object.
Checks plugin_checks(const Target& target);

/// What every table must do, whatever its port.
Checks table_checks(const Target& target, const PortAccess& port);

/// The contract suite of the port, through the server's own proxies. Empty: the port has none.
Checks suite_checks(const Target& target, const PortAccess& port);

}  // namespace kbase::plugin_check
