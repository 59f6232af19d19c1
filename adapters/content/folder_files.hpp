// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/converters.hpp"
#include "adapters/content/file_tree.hpp"
#include "adapters/content/folder_source.hpp"
#include "adapters/content/site_layout.hpp"

namespace kbase::content {

/// A file of a folder that is read, with what its path says of it.
struct PagePath {
  TreeFile file;
  std::string path;     ///< below the root of the site, without ending: "guide/setup"
  std::string folder;   ///< folder part of it
  std::string ending;   ///< ".md"
  std::string by_path;  ///< its id by path, without prefix
  std::string by_name;  ///< its id by name, without prefix
};

/// The files of a source, by what they are.
struct FolderFiles {
  SiteLayout layout;
  std::vector<PagePath> pages;
  std::vector<TreeFile> descriptions;  ///< of categories: _category.yaml and the like
  std::vector<TreeFile> records;       ///< JSON Lines
  ports::SourceNotes notes;
};

/// Sorts the files of a folder. `root_name` is the id of the page that stands for the folder itself. No two pages get
/// one id by path: where `guide.md` and `guide/index.md` would, the latter is `guide/index`.
FolderFiles sort_files(const std::filesystem::path& root, std::vector<TreeFile> files, const std::string& root_name,
                       const SourceOptions& options, const Converters& converters);

}  // namespace kbase::content
