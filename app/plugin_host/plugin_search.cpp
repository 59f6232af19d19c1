// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/plugin_search.hpp"

#include <algorithm>
#include <system_error>

namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "kbase-";
constexpr std::string_view kEnding = ".so";

bool is_plugin_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

std::string joined(std::span<const fs::path> directories) {
  std::string text;
  for (const fs::path& directory : directories) text.append(text.empty() ? "" : ", ").append(directory);
  return text;
}

}  // namespace

fs::path own_program() {
  std::error_code unreadable;
  return fs::read_symlink("/proc/self/exe", unreadable);
}

std::vector<fs::path> plugin_directories(std::span<const std::string> configured, const fs::path& program) {
  std::vector<fs::path> directories(configured.begin(), configured.end());
  const fs::path root = program.parent_path().parent_path();
  for (const char* folder : {"plugins", "lib/kbase/plugins"})
    if (std::find(directories.begin(), directories.end(), root / folder) == directories.end())
      directories.push_back(root / folder);
  return directories;
}

std::string file_name_of(std::string_view plugin_name) {
  return std::string(kPrefix).append(plugin_name).append(kEnding);
}

std::string plugin_name_of(const fs::path& file) {
  const std::string name = file.filename();
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding) || name.size() < kPrefix.size() + kEnding.size())
    return {};
  const std::string middle = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kEnding.size());
  return is_plugin_name(middle) ? middle : std::string();
}

Result<fs::path> find_plugin(std::string_view plugin, std::span<const fs::path> directories) {
  const fs::path path(plugin);
  if (path.is_absolute()) return path;
  if (!is_plugin_name(plugin))
    return Error{ErrorCode::Unsupported,
                 "'" + std::string(plugin) +
                     "' names no plugin; write a name of a-z, 0-9, _ and -, or the absolute path of a file"};
  for (const fs::path& directory : directories) {
    std::error_code missing;
    if (fs::path file = directory / file_name_of(plugin); fs::exists(file, missing)) return file;
  }
  return Error{ErrorCode::NotFound, "there is no " + file_name_of(plugin) + " in " + joined(directories) +
                                        "; install the plugin, or name its folder in plugins.directories"};
}

std::vector<fs::path> list_plugins(std::span<const fs::path> directories) {
  std::vector<fs::path> files;
  for (const fs::path& directory : directories) {
    std::vector<fs::path> found;
    std::error_code unreadable;
    for (fs::directory_iterator entry(directory, unreadable), end; !unreadable && entry != end;
         entry.increment(unreadable))
      if (!plugin_name_of(entry->path()).empty()) found.push_back(entry->path());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace kbase::plugin_host
