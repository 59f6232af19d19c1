// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/session.hpp"
#include "domain/model/result.hpp"

namespace kbase::postgres {

/// Address of the database: libpq's connection string, split so that each of several hosts gets its own timeout. (libpq
/// applies its timeout only in its blocking calls.)
struct Location {
  /// Keywords for one candidate server.
  struct Host {
    std::string name;  ///< "host:port", for messages
    Session::Keywords keywords;
  };

  std::vector<Host> hosts;            ///< in the order of the string; at least one
  std::chrono::milliseconds timeout;  ///< connect timeout per host

  /// Parses a connection string, `keyword=value ...` or `postgres://...`. A non-empty `password` replaces the one in
  /// the string. Missing values come from libpq's environment (PGHOST, PGSSLMODE ...). Defaults unless the string sets
  /// them: target_session_attrs is read-write, so that a replica is never used as the primary; keepalive and timeout
  /// settings detect a vanished server within half a minute.
  /// InvalidArgument (`url`): the message repeats no part of the string, which can contain a password.
  static model::Result<Location> parse(const std::string& url, const std::string& password);
};

}  // namespace kbase::postgres
