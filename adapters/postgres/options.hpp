// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kbase::postgres {

/// What opening a store does where its tables are missing, or of an older minor version, which is made the newest.
enum class IfMissing { Create, Fail };

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
  IfMissing if_missing = IfMissing::Create;
  /// Connections that read at the same time; one more call waits for a free one, up to five seconds. Beside these a
  /// batch takes one, readers of all changes two, leases one, and one listens for changes.
  std::size_t connections = 8;
};

}  // namespace kbase::postgres
