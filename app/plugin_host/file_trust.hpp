// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "domain/model/result.hpp"

namespace kbase::plugin_host {

/// Who beside root may have put a file where the server loads code from.
struct TrustedOwners {
  uid_t server;   ///< the user this process runs as
  uid_t program;  ///< the owner of the program's file
};

TrustedOwners owners_of_this_process();

/// The file that an absolute path leads to once every symbolic link is followed, if nobody but trusted owners can
/// change it or any folder above it:
///  - each is owned by root or one of `owners`;
///  - none is writable by others, save folders with the sticky bit, where nobody moves another's file;
///  - one that is writable by its group has the owner's primary group.
/// Unsupported: the place that is not so, and what to do, in words that follow the name of the path as it was given.
model::Result<std::filesystem::path> trusted_file(const std::filesystem::path& path, const TrustedOwners& owners);

}  // namespace kbase::plugin_host
