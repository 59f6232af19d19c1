// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "domain/model/result.hpp"
#include "ports/driven/random.hpp"

namespace kbase::runtime {

/// Returns the secret of the log's pseudonyms: 32 random bytes in a file that only its owner can read. Creates the file
/// if it is missing, so that pseudonyms stay the same after a restart. Requires the folder's ServeLock. Errors:
/// Unavailable if the file can be neither read nor created; Corrupt if its size is wrong.
model::Result<std::string> log_secret(const std::filesystem::path& file, ports::Random& random);

}  // namespace kbase::runtime
