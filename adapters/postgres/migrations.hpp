// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace kbase::postgres::schema {

/// Supported major version. Schemas of other major versions are refused.
inline constexpr int kMajor = 1;

/// The n-th migrates from minor version n - 1 to n; the first creates the tables. Migrations only add; new columns have
/// defaults. They must not disturb a server that knows only an earlier version, whether it runs or restarts.
std::span<const char* const> migrations();

}  // namespace kbase::postgres::schema
