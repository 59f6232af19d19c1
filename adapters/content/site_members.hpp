// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "adapters/content/site_layout.hpp"

/// What the configuration of a site says about its pages and folders.
namespace kbase::content {

/// Returns the extra metadata of a page (JSON members) with `edit_url`, where it can be edited, and `order`, its place
/// in the navigation. Members that the page has itself stay. `path` is that below its root, without ending.
std::string add_site_members(const SiteLayout& layout, const TreeFile& file, const std::string& path,
                             std::string_view extra);

/// Returns the place of each folder in the navigation: that of its first page.
std::map<std::string, double> folder_places(const SiteLayout& layout);

}  // namespace kbase::content
