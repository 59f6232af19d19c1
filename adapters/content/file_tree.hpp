// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "domain/base/result.hpp"

namespace kbase::content {

/// A file below a folder.
struct TreeFile {
  std::string path;    ///< below the folder, "guide/setup.md"
  std::string name;    ///< file name, "setup.md"
  std::string folder;  ///< folder part of the path, "guide"; empty: the folder itself
  std::uint64_t bytes = 0;
  bool links_outside = false;  ///< a link that is broken or leads out of the folder; its content is not read
};

/// Lists the files below `root` in the order of the bytes of their paths. Leaves out hidden files and folders,
/// `node_modules`, `vendor`, what .gitignore and .kbaseignore leave out, and what `exclude` selects (is_selected()).
/// Follows links to files within the folder, but none to folders. InvalidArgument: a folder cannot be read.
Result<std::vector<TreeFile>> list_files(const std::filesystem::path& root, const std::vector<std::string>& exclude);

/// Returns the ending of a file name in lower case with its dot, without ".gz": ".md"; empty: it has none.
std::string ending_of(std::string_view name);

/// Returns the name without its ending and without ".gz".
std::string_view stem_of(std::string_view name);

}  // namespace kbase::content
