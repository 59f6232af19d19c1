// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "domain/model/result.hpp"
#include "ports/driven/random.hpp"

namespace kbase::runtime {

/// The secret of the log's pseudonyms: 32 random bytes in a file that its owner alone may read, made where it is
/// missing, so that names stay the same over restarts. The caller holds the folder's ServeLock.
/// Unavailable: the file can be neither read nor made. Corrupt: it is no such file.
model::Result<std::string> log_secret(const std::filesystem::path& file, ports::Random& random);

}  // namespace kbase::runtime
