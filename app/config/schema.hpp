// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kbase::config {

/// The sections whose `config` belongs to a plugin.
inline constexpr std::string_view kPluginSections[] = {"storage", "search", "rate_limit", "cache", "codehost", "llm"};

/// The configuration's JSON Schema; a plugin section's `config` is open. The `examples` of its `plugin` are the names
/// of the project's own plugins.
nlohmann::ordered_json host_schema();

}  // namespace kbase::config
