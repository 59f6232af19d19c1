// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::plugin_host {

/// Returns the path of this program's file, with all links resolved.
std::filesystem::path own_program();

/// Returns the absolute plugin directories in search order: `plugins.directories` of the configuration, `plugins` of
/// the build tree next to the program's folder, and `lib/kbase/plugins` of the installation with the program in `bin`.
/// Includes directories that do not exist.
std::vector<std::filesystem::path> plugin_directories(std::span<const std::string> configured,
                                                      const std::filesystem::path& program);

/// Convert NAME to "kbase-NAME.so" and back; empty: not a plugin file name.
std::string file_name_of(std::string_view plugin_name);
std::string plugin_name_of(const std::filesystem::path& file);

/// Resolves `plugin:` of a configuration: an absolute path is returned unchanged; for a NAME, returns `kbase-NAME.so`
/// from the first of `directories` that contains it. Opens nothing. Errors: Unsupported if `plugin` is neither a NAME
/// (a-z, 0-9, _ and -) nor an absolute path; NotFound if no directory contains the file; the message lists the
/// directories.
Result<std::filesystem::path> find_plugin(std::string_view plugin, std::span<const std::filesystem::path> directories);

/// Returns the plugin files in `directories`, in the order of the directories and by name within each. If a NAME occurs
/// several times, find_plugin() returns the first. An unreadable directory counts as empty.
std::vector<std::filesystem::path> list_plugins(std::span<const std::filesystem::path> directories);

}  // namespace kbase::plugin_host
