// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/config/settings.hpp"

namespace kbase::config {

/// Sections whose `config` is defined by a plugin.
inline constexpr std::string_view kPluginSections[] = {"storage", "search", "rate_limit", "cache", "codehost", "llm"};

/// Returns the configuration's JSON Schema. The `config` of plugin sections is open. The `examples` of `plugin` are the
/// names of the project's own plugins.
nlohmann::ordered_json host_schema();

/// Converts a configuration that was checked against its schema to Settings, without `shown`. `storage_is_ephemeral`:
/// see PluginConfig.
Settings settings_of(const nlohmann::ordered_json& checked, bool storage_is_ephemeral);

}  // namespace kbase::config
