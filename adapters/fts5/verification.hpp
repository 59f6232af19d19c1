// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "domain/model/result.hpp"

namespace kbase::fts5 {

/// Reads the whole database: its pages, the FTS5 structures, and whether every item is in all tables. Corrupt, with
/// what was found; Unavailable while a batch is being written, which FTS5's own check has to wait for.
model::Status verify_database(const std::filesystem::path& file);

}  // namespace kbase::fts5
