// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/prepared_body.hpp"
#include "adapters/http/route.hpp"

namespace kbase::http {

/// Where a request's target leads. Views into the request.
struct RouteMatch {
  const Route* route = nullptr;  ///< null: nowhere
  std::string_view segment;      ///< the path's parameter as it was sent
  std::string_view query;
  bool is_below_base = false;
  const PreparedBody* page = nullptr;     ///< null: none of the site
  std::optional<ports::UserAnswer> kept;  ///< see Answerer::kept()
  bool is_server_wide = false;  ///< the target names the whole server: `*`, or an absolute form without a path
};

/// Finds routes below a base path, segment by segment, percent-encoding undone; one trailing slash is ignored. Takes
/// time linear in the path. Immutable.
class Router {
 public:
  /// `routes` outlive the router; each has at most three segments and one parameter, its last.
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
