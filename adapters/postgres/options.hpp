// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kbase::postgres {

/// Where a store is. The same for all ports, each of which has connections of its own.
struct Options {
  /// A connection string of libpq, `postgres://USER@HOST:PORT/DATABASE` or `host=... dbname=...`, with several hosts
  /// where a replica may take over. Empty: libpq's environment and defaults.
  std::string url;
  /// Replaces the one in the string; empty: that one, or libpq's password file.
  std::string password;
  /// The schema that the tables are in, made with the store. At most 50 bytes without a double quote.
  std::string schema = "kbase";
  /// Whose store it is; one of another instance is refused. Empty: anybody's.
  std::string instance = {};
  /// Connections that read at the same time; one more call waits for a free one, up to five seconds. Beside these a
  /// batch takes one, readers of all changes two, leases one, and one listens for changes.
  std::size_t connections = 8;
};

}  // namespace kbase::postgres
