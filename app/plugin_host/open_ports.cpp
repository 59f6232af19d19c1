// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/open_ports.hpp"

#include "app/plugin_host/custom_proxies.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {

template <class Port>
Opened<Port> open_port(const typename sdk::CBinding<Port>::Table& table, const HostTable& host,
                       std::string_view config_json) {
  using Proxy = typename ProxyOf<Port>::Type;
  auto instance = KBASE_TRY(InstanceOf<Port>::create(table, host, config_json));
  if constexpr (requires { Proxy::make(std::move(instance)); }) {
    auto proxy = KBASE_TRY(Proxy::make(std::move(instance)));
    return std::unique_ptr<Port>(std::move(proxy));
  } else {
    return std::unique_ptr<Port>(std::make_unique<Proxy>(std::move(instance)));
  }
}

template <class Port>
Opened<Port> open_port(const Plugin& plugin, const HostTable& host, std::string_view config_json) {
  using Binding = sdk::CBinding<Port>;
  if (const auto* table = plugin.table<typename Binding::Table>(Binding::kId))
    return open_port<Port>(*table, host, config_json);
  return Error{ErrorCode::Unsupported, "The plugin " + plugin.label() + " does not offer " + Binding::kId +
                                           "; `kbase plugin list` shows which one does."};
}

#define KBASE_OPEN_PORT(Port)                                                                                     \
  template Opened<ports::Port> open_port<ports::Port>(const sdk::CBinding<ports::Port>::Table&, const HostTable&, \
                                                      std::string_view);                                          \
  template Opened<ports::Port> open_port<ports::Port>(const Plugin&, const HostTable&, std::string_view)

KBASE_OPEN_PORT(ItemStore);
KBASE_OPEN_PORT(ActivityStore);
KBASE_OPEN_PORT(ApiKeyStore);
KBASE_OPEN_PORT(SearchIndex);
KBASE_OPEN_PORT(RateLimitStore);
KBASE_OPEN_PORT(Cache);
KBASE_OPEN_PORT(CodeHost);
KBASE_OPEN_PORT(LanguageModel);

}  // namespace kbase::plugin_host
