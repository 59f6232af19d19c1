// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace kbase::postgres::schema {

/// A schema of another major version is refused.
inline constexpr int kMajor = 1;

/// The n-th leads from minor version n - 1 to n; the first makes the tables. Each only adds: columns get defaults, and
/// no server that knows an earlier version alone may be disturbed by it, running or started anew.
std::span<const char* const> migrations();

}  // namespace kbase::postgres::schema
