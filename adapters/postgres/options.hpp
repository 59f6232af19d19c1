// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kbase::postgres {

/// Action of an open on missing tables or tables of an older minor version: create or migrate them, or fail.
enum class IfMissing { Create, Fail };

/// Options of a store. All ports use the same options; each has its own connections.
struct Options {
  /// Connection string of libpq, `postgres://USER@HOST:PORT/DATABASE` or `host=... dbname=...`. Name several hosts if a
  /// replica can take over. Empty: libpq's environment and defaults.
  std::string url;
  /// Replaces the password in the string. Empty: that password, or libpq's password file.
  std::string password;
  /// Schema of the tables, created with the store. 1 to 50 bytes without a double quote.
  std::string schema = "kbase";
  /// Instance that owns the store; open() refuses a store of another instance. Empty: no check.
  std::string instance = {};
  IfMissing if_missing = IfMissing::Create;
  /// Number of concurrent connections of readers. Further calls wait up to five seconds for a free one. In addition:
  /// one connection for a batch, two for readers of all changes, one for leases, and one that listens for changes.
  std::size_t connections = 8;
};

}  // namespace kbase::postgres
