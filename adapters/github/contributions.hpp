// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/findings.hpp"

namespace kbase::github {

/// Returns a GraphQL request for the calendar of the profile, which also asks whether the token can see contributions
/// to private repositories. `api_path` is the path of the REST API.
code_host::Request calendar_request(std::string_view api_path, std::string_view username);

/// Reads the calendar from the response of GraphQL. nullopt: it has none, for example for an organization, or it may
/// count contributions that are not public.
std::optional<code_host::Findings::Counted> read_calendar(const code_host::Json& answer);

/// Counts public events, which GitHub keeps for 30 days: pushes, opened issues and pull requests, reviews, new
/// repositories. `has_more`: `events` is not the complete list, so the earliest day in it is incomplete and is left
/// out.
code_host::Findings::Counted count_events(const code_host::Json& events, bool has_more, model::Day today);

}  // namespace kbase::github
