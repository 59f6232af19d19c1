// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::content {

/// Maximum number of pages that a page is related to by its links.
inline constexpr std::size_t kMaxLinks = 100;

/// The pages of a source, by what links name them with. Not thread-safe.
class PageLinks {
 public:
  /// Adds a page: its path below the root without ending, and its id.
  void add(std::string_view path, std::string_view id);

  /// Returns the id of the page that `name` means in the front matter of the page at `path`: a path, or a name that one
  /// page has; else the name itself.
  std::string meant(std::string_view name, std::string_view path) const;

  /// Returns the ids of the other pages that the body of the page at `path` links to, each once, in the order of the
  /// links, at most kMaxLinks.
  std::vector<std::string> linked(std::string_view body, std::string_view path, std::string_view id) const;

 private:
  const std::string* find(std::string_view target, std::string_view folder, bool is_name) const;

  TextMap<std::string> by_path_;  // paths in lower case
  TextMap<std::string> by_name_;  // names in lower case; empty: several pages have the name
};

}  // namespace kbase::content
