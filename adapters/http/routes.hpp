// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "adapters/http/route.hpp"

namespace kbase::http {

/// Returns all endpoints (docs/guide/index.md).
std::span<const Route> routes();

/// Endpoint functions, defined in catalog_routes.cpp, query_routes.cpp, external_routes.cpp and completion_route.cpp.
model::Result<Answer> get_categories(const Context& context);
model::Result<Answer> get_category(const Context& context);
model::Result<Answer> get_item(const Context& context);
model::Result<Answer> get_related(const Context& context);
model::Result<Answer> get_popular(const Context& context);
model::Result<Answer> get_recent(const Context& context);

model::Result<Answer> get_search(const Context& context);
model::Result<Answer> get_suggestions(const Context& context);
model::Result<Answer> get_statistics(const Context& context);
model::Result<Answer> get_health(const Context& context);
model::Result<Answer> get_description(const Context& context);

/// Returns the reply of get_codehost_user() if it is cached; see RouteMatch::kept.
std::optional<ports::UserAnswer> kept_user(const Services& services, std::string_view segment);
model::Result<Answer> get_codehost_user(const Context& context);
model::Result<Answer> post_completion(const Context& context);

}  // namespace kbase::http
