// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::content {

/// Whether a file with this stem stands for its folder: `index`, `_index` and `README`.
bool is_index_page(std::string_view stem);

/// The parts of a path below a root without ending, "guide/setup".
std::string_view path_folder(std::string_view path);
std::string_view path_name(std::string_view path);

/// Returns the path with its folder in the place of an index page; empty for that of the root itself.
std::string page_key(std::string_view path);

/// The language and the version of the product that a path names: "de/start", "pt-br/start", "start.de"; "v3.5/start",
/// "version-1.2.0/start". Empty: it names none.
struct PathFacts {
  std::string language, version;
};
PathFacts facts_of(std::string_view path);

}  // namespace kbase::content
