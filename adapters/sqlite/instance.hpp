// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/sqlite/database.hpp"

namespace kbase::sqlite {

/// What the newest migration of each schema makes: a table of one row, or of none while nobody named the base.
inline constexpr char kInstanceTable[] = "CREATE TABLE instance (name TEXT NOT NULL);";

/// Notes whose file this is where it says nothing, and compares where it does. An empty `instance` is anybody's.
/// Unsupported: the file is another instance's. `noun` is what messages call the file.
model::Status claim(Database& database, std::string_view instance, std::string_view noun);

}  // namespace kbase::sqlite
