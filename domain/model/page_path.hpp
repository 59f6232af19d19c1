// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// The paths of the pages of a source, below its root and without ending: "guide/setup". An item's id often is one.
namespace kbase::model {

/// Whether a file with this stem stands for its folder: `index`, `_index` and `README`.
bool is_index_page(std::string_view stem);

/// The parts of a path.
std::string_view path_folder(std::string_view path);
std::string_view path_name(std::string_view path);

/// Returns the path with its folder in the place of an index page; empty for that of the root itself.
std::string page_key(std::string_view path);

/// Returns the path without the ending of a file that is a page.
std::string_view without_page_ending(std::string_view path);

/// Returns the path that `target`, as in a link, means in a folder; from the root, if it begins with a slash. nullopt:
/// it leads out of the root.
std::optional<std::string> resolve_path(std::string_view folder, std::string_view target);

}  // namespace kbase::model
