// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "app/plugin_host/custom_proxies.hpp"
#include "app/plugin_host/plugin.hpp"
#include "domain/model/result.hpp"

namespace kbase::plugin_host {

/// Creates an instance of a port from a static table with all mandatory functions. `config_json` is JSON text that fits
/// the table's config_schema. The host must outlive the instance. Errors: InvalidArgument for a wrong setting, which
/// `parameter` names; otherwise the error of the plugin's create().
template <class Port>
model::Result<std::unique_ptr<Port>> open_port(const typename sdk::CBinding<Port>::Table& table, const HostTable& host,
                                               std::string_view config_json) {
  using Proxy = typename ProxyOf<Port>::Type;
  auto instance = InstanceOf<Port>::create(table, host, config_json);
  if (!instance) return instance.error();
  if constexpr (requires { Proxy::make(*std::move(instance)); }) {
    auto made = Proxy::make(*std::move(instance));
    if (!made) return made.error();
    return std::unique_ptr<Port>(*std::move(made));
  } else {
    return std::unique_ptr<Port>(std::make_unique<Proxy>(*std::move(instance)));
  }
}

/// As above, for a port that a plugin offers. Error: Unsupported if it offers no such port.
template <class Port>
model::Result<std::unique_ptr<Port>> open_port(const Plugin& plugin, const HostTable& host,
                                               std::string_view config_json) {
  using Binding = sdk::CBinding<Port>;
  if (const auto* table = plugin.table<typename Binding::Table>(Binding::kId))
    return open_port<Port>(*table, host, config_json);
  return model::Error{model::ErrorCode::Unsupported,
                      "The plugin " + plugin.label() + " does not offer " + Binding::kId +
                          "; `kbase plugin list` shows which one does.",
                      {},
                      {},
                      {}};
}

}  // namespace kbase::plugin_host
