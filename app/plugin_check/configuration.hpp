// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::plugin_check {

/// Placeholder for the check's own folder in a given configuration.
inline constexpr std::string_view kScratchName = "${SCRATCH}";

/// The `config:` part of a given configuration, unparsed.
struct GivenConfiguration {
  std::string source;  ///< file name, for errors
  std::string text;    ///< YAML or JSON
};

/// Returns the settings of the port `port_id` as JSON text for create(). Uses the given settings, or else the defaults
/// with paths below `scratch` and the smallest valid value for each required setting. The given settings are those of
/// the port, or a map of port ids to settings; a port that the map leaves out gets its defaults. The schema validates
/// and completes them as in a server. Error: InvalidArgument "FILE:LINE: key: reason".
Result<std::string> configuration_for(const char* schema, const std::optional<GivenConfiguration>& given,
                                      std::string_view port_id, const std::filesystem::path& scratch);

/// Returns the defects of a schema, one sentence each: keywords that a server does not support, and members that users
/// need but that are missing.
std::vector<std::string> defects_of_schema(const char* schema);

/// Returns the names of the top-level settings that are paths.
std::vector<std::string> path_settings(const char* schema);

}  // namespace kbase::plugin_check
