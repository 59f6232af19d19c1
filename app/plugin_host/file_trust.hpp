// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

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

}  // namespace kbase::plugin_host
