// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::plugin_check {

/// What stands for a check's own folder in a configuration that is given.
inline constexpr std::string_view kScratchName = "${SCRATCH}";

/// The `config:` part of a configuration as its file has it.
struct GivenConfiguration {
  std::string source;  ///< the file, for errors
  std::string text;    ///< YAML or JSON
};

/// The settings of one port as create() takes them, JSON text: those that are given, or else the defaults with a place
/// below `scratch` for each path, and the least value that fits for what is required; checked and completed by the
/// schema as a server does it. InvalidArgument: "FILE:LINE: key: reason".
model::Result<std::string> configuration_for(const char* schema, const std::optional<GivenConfiguration>& given,
                                             const std::filesystem::path& scratch);

/// What the schema has that a server does not understand, or lacks that people need. Each a sentence.
std::vector<std::string> defects_of_schema(const char* schema);

/// The names of the settings that are paths.
std::vector<std::string> path_settings(const char* schema);

}  // namespace kbase::plugin_check
