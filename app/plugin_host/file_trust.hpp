// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "domain/base/result.hpp"

namespace kbase::plugin_host {

/// Users, in addition to root, from whom the server accepts code.
struct TrustedOwners {
  uid_t server;   ///< the user this process runs as
  uid_t program;  ///< the owner of the program file
};

TrustedOwners owners_of_this_process();

/// Resolves an absolute path, following every symbolic link, and checks that only trusted owners can change the file or
/// any folder above it:
/// - each is owned by root or one of `owners`;
/// - none is writable by others, except folders with the sticky bit, where users cannot move other users' files;
/// - one that is writable by its group has the owner's primary group.
/// Error: Unsupported, with the offending path and a remedy; the message continues the path as it was given.
Result<std::filesystem::path> trusted_file(const std::filesystem::path& path, const TrustedOwners& owners);

/// The note of <kbase/base.h>: the version of the header that a plugin was built with, and the oldest server it
/// supports.
struct AbiNote {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t needs_minor = 0;
};

/// Facts about an ELF file, read before any of its code runs (System V ABI, "Object Files" and "Program Loading";
/// <elf.h>).
struct ElfFile {
  unsigned bits = 0;  ///< 32 or 64
  std::uint16_t machine = 0;
  bool is_native = false;  ///< has this program's class, byte order and machine

  // Read only if is_native.
  std::uint16_t type = 0;             ///< ET_DYN: a shared object
  bool has_executable_stack = false;  ///< requested, or the loader's default because the file has no PT_GNU_STACK
  std::optional<AbiNote> note;        ///< the first plugin note
};

/// Reads headers and notes. Validates every offset, size and count; never reads beyond `bytes`. Error: Unsupported if
/// the file is not ELF, truncated or damaged; the message continues the file's name ("is not an ELF file").
Result<ElfFile> read_elf(std::span<const std::byte> bytes);

/// Returns the usual name of a machine, "x86-64"; "machine 183" for an unknown one.
std::string machine_name(std::uint16_t machine);

/// Returns the machine that this program was built for.
std::uint16_t own_machine();

}  // namespace kbase::plugin_host
