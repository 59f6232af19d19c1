// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/content/file_tree.hpp"

namespace kbase::content {

/// Which files of a folder are pages, and what the generator of the site calls them.
struct SiteLayout {
  std::string generator;            ///< "Hugo"; empty: none was recognised
  std::vector<std::string> roots;   ///< folders with pages, below the source; "" is the source itself. Never empty
  std::vector<std::string> hidden;  ///< patterns of files that the generator does not publish (is_selected())
  std::set<std::string> collections = {"_posts"};  ///< folders whose names begin with "_" and which have pages (Jekyll)
  std::map<std::string, std::string> names;        ///< names in the navigation, by path below a root without ending
  std::map<std::string, int> order;                ///< place in the navigation, by the same path
  std::string edit_address;                        ///< where pages can be edited, see edit_links.hpp; empty: unknown
  std::string edit_root;   ///< folder below the source to which the paths in edit_address are relative
  bool local_ids = false;  ///< an `id` in front matter replaces only the last part of the path (Docusaurus)

  /// Returns the path below its root of a file that can be a page; nullopt: the generator does not publish it.
  std::optional<std::string> page_path(const TreeFile& file) const;

  /// Returns the address where a file can be edited; empty: unknown.
  std::string edit_address_of(const TreeFile& file) const;
};

/// Recognises the generator by its configuration, in the folder or in one named `docs`, `doc`, `website`, `site` or
/// `source` below it. A configuration that cannot be read, or that leads to no page, is ignored.
SiteLayout recognise_site(const std::filesystem::path& root, const std::vector<TreeFile>& files);

}  // namespace kbase::content
