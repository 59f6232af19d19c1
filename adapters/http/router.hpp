// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/routes.hpp"
#include "adapters/http/static_content.hpp"

namespace kbase::http {

/// Result of routing a request target. Views into the request.
struct RouteMatch {
  const Route* route = nullptr;  ///< null: no route matches
  std::string_view segment;      ///< path parameter, still encoded
  std::string_view query;
  bool is_below_base = false;
  const PreparedBody* page = nullptr;  ///< page of the site; null: none
  bool is_server_wide = false;         ///< the target is the whole server: `*`, or an absolute form without a path
};

/// Router for paths below a base path. Compares decoded segments and ignores one trailing slash. Runs in time linear in
/// the length of the path. Immutable.
class Router {
 public:
  /// `routes` must outlive the router. Each has at most three segments, and at most one parameter.
  Router(std::string_view base_path, std::span<const Route> routes);

  RouteMatch match(std::string_view target) const;

 private:
  struct Pattern {
    const Route* route;
    std::vector<std::string_view> segments;
  };

  std::vector<std::string> base_;
  std::vector<Pattern> patterns_;
};

}  // namespace kbase::http
