// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "app/plugin_host/host_table.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/base/result.hpp"
#include "plugins/sdk/generated/bindings.hpp"

/// Create an instance of a port, which can be any with a sdk::CBinding. `config_json` is JSON text that fits the
/// table's config_schema. The host must outlive the instance. Errors: InvalidArgument for a wrong setting, which
/// `parameter` names; otherwise the error of the plugin's create().
namespace kbase::plugin_host {

template <class Port> using Opened = Result<std::unique_ptr<Port>>;

/// From a static table with all mandatory functions.
template <class Port>
Opened<Port> open_port(const typename sdk::CBinding<Port>::Table& table, const HostTable& host,
                       std::string_view config_json);

/// From a plugin. Error: Unsupported if it does not offer the port.
template <class Port> Opened<Port> open_port(const Plugin& plugin, const HostTable& host, std::string_view config_json);

}  // namespace kbase::plugin_host
