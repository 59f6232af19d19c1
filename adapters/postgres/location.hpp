// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/session.hpp"
#include "domain/model/result.hpp"

namespace kbase::postgres {

/// Where the database is: libpq's connection string taken apart, so that each of several hosts gets a time limit of
/// its own. (libpq bounds that in its blocking calls alone.)
struct Location {
  /// One server that may be the one: the keywords for it alone.
  struct Host {
    std::string name;  ///< "host:port", for messages
    Session::Keywords keywords;
  };

  std::vector<Host> hosts;            ///< in their order; at least one
  std::chrono::milliseconds timeout;  ///< for each of them

  /// Reads a connection string, `keyword=value ...` or `postgres://...`; `password` replaces the one in it where it is
  /// not empty. What neither says comes from libpq's environment (PGHOST, PGSSLMODE ...). Unless the string has them:
  /// target_session_attrs is read-write, so that a replica is never taken for the primary, and a server that vanished
  /// is noticed within half a minute.
  /// InvalidArgument (`url`); its message repeats nothing of the string, which may hold a password.
  static model::Result<Location> parse(const std::string& url, const std::string& password);
};

}  // namespace kbase::postgres
