// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kbase::tests {

/// Members of RateLimit or RateLimit-Policy by name: {"minute": {"q": 10, "w": 60}}.
using RateItems = std::map<std::string, std::map<std::string, long long>>;

/// Parses the subset of an RFC 9651 List that draft-ietf-httpapi-ratelimit-headers allows: Strings with integer
/// parameters. nullopt: invalid.
std::optional<RateItems> parse_rate_items(std::string_view field);

}  // namespace kbase::tests
