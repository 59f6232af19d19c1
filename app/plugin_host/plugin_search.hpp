// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/model/result.hpp"

namespace kbase::plugin_host {

/// The file of this program, every link followed.
std::filesystem::path own_program();

/// Where plugins are looked for, in this order: `plugins.directories` of the configuration, the build tree's
/// `plugins` beside the program's folder, and `lib/kbase/plugins` of the installation that has the program in `bin`.
/// Absolute; a folder that does not exist is among them.
std::vector<std::filesystem::path> plugin_directories(std::span<const std::string> configured,
                                                      const std::filesystem::path& program);

/// "kbase-NAME.so", and the NAME of such a file; empty: the file is none.
std::string file_name_of(std::string_view plugin_name);
std::string plugin_name_of(const std::filesystem::path& file);

/// The file that the `plugin:` of a configuration stands for: an absolute path itself, else `kbase-NAME.so` in the
/// first of `directories` that has it. Nothing is opened. Unsupported: neither a NAME (a-z, 0-9, _ and -) nor an
/// absolute path. NotFound: none of the directories has it; the sentence lists them.
model::Result<std::filesystem::path> find_plugin(std::string_view plugin,
                                                 std::span<const std::filesystem::path> directories);

/// The files named as plugins in `directories`, in their order and by name within each; the first of a NAME is the one
/// that find_plugin() gives. A directory that cannot be read has none.
std::vector<std::filesystem::path> list_plugins(std::span<const std::filesystem::path> directories);

}  // namespace kbase::plugin_host
