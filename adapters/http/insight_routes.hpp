// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/routes.hpp"

namespace kbase::http {

/// Notes a search for the operator. `normalized`: see ports::Insights; empty: the search is not noted.
void note_search(const EndpointContext& context, std::string_view normalized, bool has_result);

/// Returns the entity tag of the answer to a search. `tag`: of an answer with results. An answer without results has
/// another, so that what a search found is known even if the client has the answer.
std::string search_tag(std::string tag, bool has_result);

/// Returns 304 if the client has the answer to a search, and notes the search. `tag`: see search_tag(); `normalized`:
/// see note_search().
std::optional<Reply> find_cached_search(const EndpointContext& context, const std::string& tag,
                                        std::string_view normalized);

/// Notes for the operator, if that is wanted, that a result of a search is read: `?from=search:ID`.
void note_click(const EndpointContext& context);

}  // namespace kbase::http
