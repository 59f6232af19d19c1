// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/code_host/calls.hpp"
#include "adapters/code_host/findings.hpp"

namespace kbase::github {

/// Asks GraphQL for the profile's calendar, and whether the token is shown contributions to private repositories.
/// `api_path` is the REST API's.
code_host::Request calendar_request(std::string_view api_path, std::string_view username);

/// The calendar that GraphQL answered. nullopt: it gives none, such as for an organization, or it may count what an
/// anonymous visitor does not see.
std::optional<code_host::Findings::Counted> read_calendar(const code_host::Json& answer);

/// Counts public events, of which GitHub keeps 30 days: a push, an issue or a pull request that was opened, a review, a
/// new repository. `has_more`: these are not all, so the day that they break off in is left out.
code_host::Findings::Counted count_events(const code_host::Json& events, bool has_more, model::Day today);

}  // namespace kbase::github
