// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/plugin_host/elf_file.hpp"
#include "domain/model/result.hpp"

namespace kbase::plugin_host {

/// The plugin ABI that a server speaks.
struct AbiVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

/// The one of this server: that of the <kbase/base.h> it was built with.
AbiVersion own_abi();

/// "1.4".
std::string text_of(std::uint32_t major, std::uint32_t minor);

/// Whether a plugin of this note can live in the server: the majors are equal, and the server's minor is not below what
/// the plugin needs. Unsupported, in words that follow the plugin's name.
model::Status check_abi(const AbiNote& plugin, AbiVersion server);

}  // namespace kbase::plugin_host
