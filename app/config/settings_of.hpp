// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "app/config/settings.hpp"

namespace kbase::config {

/// Converts a configuration that was checked against its schema to Settings, without `shown`. `storage_keeps_nothing`:
/// see PluginConfig.
Settings settings_of(const nlohmann::ordered_json& checked, bool storage_keeps_nothing);

}  // namespace kbase::config
