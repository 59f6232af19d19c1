// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/endpoint.hpp"
#include "domain/model/result.hpp"

namespace kbase::redis {

/// What a URL says of a Redis:
///
///     redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]                   one server
///     redis+sentinel://[USER:PASSWORD@]HOST[:PORT],.../PRIMARY[/DATABASE]   the primary that these sentinels name
///     redis+cluster://[USER:PASSWORD@]HOST[:PORT],...                  a cluster, of which these are some nodes
///
/// and the same with rediss for TLS. Ports are 6379, and 26379 of sentinels, where they are not given.
struct Location {
  enum class Kind { Single, Sentinels, Cluster };

  Kind kind = Kind::Single;
  bool tls = false;
  std::vector<Endpoint> endpoints;  ///< at least one
  std::string primary;              ///< the name that sentinels know the primary by
  std::uint32_t database = 0;
  std::string username;
  std::string password;

  /// InvalidArgument with a sentence that says what is wrong and holds no part of the user information.
  static model::Result<Location> parse(std::string_view url);
};

}  // namespace kbase::redis
