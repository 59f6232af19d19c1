// SPDX-License-Identifier: Apache-2.0
#include "domain/model/page_path.hpp"

#include <algorithm>
#include <vector>

#include "domain/base/text.hpp"

namespace kbase::model {

bool is_index_page(std::string_view stem) {
  const std::string lower = ascii::to_lower(stem);
  return lower == "index" || lower == "_index" || lower == "readme";
}

std::string_view path_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view path_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string page_key(std::string_view path) {
  return std::string(is_index_page(path_name(path)) ? path_folder(path) : path);
}

std::optional<std::string> resolve_path(std::string_view folder, std::string_view target) {
  std::vector<std::string_view> parts;
  const auto add = [&parts](std::string_view path) {
    while (!path.empty()) {
      const std::size_t end = std::min(path.find('/'), path.size());
      const std::string_view part = path.substr(0, end);
      path.remove_prefix(std::min(end + 1, path.size()));
      if (part == "..") {
        if (parts.empty()) return false;
        parts.pop_back();
      } else if (!part.empty() && part != ".") {
        parts.push_back(part);
      }
    }
    return true;
  };
  if ((!target.starts_with('/') && !add(folder)) || !add(target)) return std::nullopt;
  std::string path;
  for (const std::string_view part : parts) path.append(path.empty() ? "" : "/").append(part);
  return path;
}

std::string_view without_page_ending(std::string_view path) {
  for (const std::string_view ending : {".md", ".mdx", ".markdown", ".html", ".htm", ".rst", ".adoc", ".org", ".txt"})
    if (path.size() > ending.size() && path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

}  // namespace kbase::model
