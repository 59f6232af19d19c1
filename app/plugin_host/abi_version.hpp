// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/plugin_host/elf_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::plugin_host {

/// A version of the plugin ABI.
struct AbiVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

/// Returns this server's version: that of the <kbase/base.h> that it was built with.
AbiVersion own_abi();

/// Returns "1.4".
std::string text_of(std::uint32_t major, std::uint32_t minor);

/// Checks that the server can load a plugin with this note: the majors are equal, and the server's minor is at least
/// the one that the plugin needs. Error: Unsupported; the message continues a sentence that begins with the plugin's
/// name.
Status check_abi(const AbiNote& plugin, AbiVersion server);

}  // namespace kbase::plugin_host
