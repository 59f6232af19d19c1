// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/abi_version.hpp"

#include <kbase/base.h>

#include <utility>

#include "app/plugin_host/refusal.hpp"

namespace kbase::plugin_host {
AbiVersion own_abi() { return {KB_ABI_MAJOR, KB_ABI_MINOR}; }

std::string text_of(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

Status check_abi(const AbiNote& plugin, AbiVersion server) {
  const std::string speaks = ", this server speaks " + text_of(server.major, server.minor);
  if (plugin.major != server.major)
    return refusal("was built for plugin ABI " + text_of(plugin.major, plugin.minor) + speaks + "; rebuild it with a " +
                   std::to_string(server.major) + ".x SDK");
  if (plugin.needs_minor > server.minor)
    return refusal("needs plugin ABI " + text_of(plugin.major, plugin.needs_minor) + " or newer" + speaks +
                   "; install a newer kbase, or a version of the plugin for this one");
  return {};
}

}  // namespace kbase::plugin_host
