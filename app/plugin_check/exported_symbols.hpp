// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kbase::plugin_check {

/// Returns the names that an ELF shared object of this machine's class exports (its .dynsym; System V ABI, "Symbol
/// Table"), without those that linkers add. For a truncated or damaged file, returns those that can be read.
std::vector<std::string> exported_symbols(std::span<const std::byte> elf);

}  // namespace kbase::plugin_check
