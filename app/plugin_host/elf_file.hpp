// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "domain/model/result.hpp"

namespace kbase::plugin_host {

/// What the note of <kbase/base.h> says: the header a plugin was built with, and the oldest server it can live with.
struct AbiNote {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t needs_minor = 0;
};

/// What an ELF file says about itself before any of its code runs (System V ABI, "Object Files" and "Program Loading";
/// <elf.h>).
struct ElfFile {
  unsigned bits = 0;  ///< 32 or 64
  std::uint16_t machine = 0;
  bool is_native = false;  ///< of this program's own class, byte order and machine

  // Read of native files alone.
  std::uint16_t type = 0;             ///< ET_DYN: a shared object
  bool has_executable_stack = false;  ///< asked for, or left to the loader's default by saying nothing
  std::optional<AbiNote> note;        ///< the first one there is
};

/// Reads headers and notes. No offset, size or count of the file is trusted; nothing is read beyond `bytes`.
/// Unsupported: it is no ELF file, or it is cut short or damaged, in words that follow the file's name ("is not an ELF
/// file").
model::Result<ElfFile> read_elf(std::span<const std::byte> bytes);

/// The machine's name as people know it, "x86-64"; "machine 183" for one without.
std::string machine_name(std::uint16_t machine);

/// What this program itself was built for.
std::uint16_t own_machine();

}  // namespace kbase::plugin_host
