// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbase::records {

/// Splits the SQL file of a database into its migrations. Each begins with a line "-- Version NUMBER"; the first one
/// creates the tables. Text before the first such line is a comment of the file and is skipped.
inline std::vector<std::string> split_migrations(std::string_view sql) {
  static constexpr std::string_view kStart = "\n-- Version ";
  std::vector<std::string> migrations;
  for (std::size_t start = sql.find(kStart); start != sql.npos;) {
    const std::size_t end = sql.find(kStart, start + kStart.size());
    migrations.emplace_back(sql.substr(start, end - start));
    start = end;
  }
  return migrations;
}

}  // namespace kbase::records
