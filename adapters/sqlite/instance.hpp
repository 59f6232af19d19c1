// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/sqlite/database.hpp"

namespace kbase::sqlite {

/// Newest migration of each schema: a table with the name of the instance that owns the file. It stays empty until an
/// instance claims the file.
inline constexpr char kInstanceTable[] = "CREATE TABLE instance (name TEXT NOT NULL);";

/// Records `instance` as the owner of the file if it has none, else compares. An empty `instance` does nothing.
/// Unsupported: another instance owns the file. `noun` is the name of the file in messages.
model::Status claim(Database& database, std::string_view instance, std::string_view noun);

}  // namespace kbase::sqlite
