// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "app/config/settings.hpp"

namespace kbase::config {

/// The settings that a configuration stands for which its schema was found to hold for; all but `shown`.
/// `storage_keeps_nothing`: see PluginConfig.
Settings settings_of(const nlohmann::ordered_json& checked, bool storage_keeps_nothing);

}  // namespace kbase::config
