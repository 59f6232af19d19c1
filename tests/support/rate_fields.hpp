// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::tests {

/// The members of RateLimit or RateLimit-Policy by their names: {"minute": {"q": 10, "w": 60}}.
using RateItems = std::map<std::string, std::map<std::string, long long>>;

/// Reads what the draft (draft-ietf-httpapi-ratelimit-headers) allows of a List of RFC 9651: Strings with integers as
/// their parameters. nullopt: it is none.
std::optional<RateItems> parse_rate_items(std::string_view field);

}  // namespace kbase::tests
