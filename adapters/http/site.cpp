// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/site.hpp"

#include <array>
#include <utility>

namespace kbase::http {
namespace {

std::string_view content_type_of(std::string_view path) {
  using Type = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Type, 6> kTypes = {{{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".svg", "image/svg+xml"},
                                           {".png", "image/png"},
                                           {".txt", "text/plain; charset=utf-8"}}};
  for (const auto& [ending, type] : kTypes)
    if (path.ends_with(ending)) return type;
  return "application/octet-stream";
}

/// Returns the path under which a file is served: index.html is served as its directory.
std::string_view place_of(std::string_view path) {
  constexpr std::string_view kIndex = "/index.html";
  return path.ends_with(kIndex) ? path.substr(0, path.size() - kIndex.size()) : path;
}

}  // namespace

Site::Site(std::vector<SiteFile> files) {
  for (SiteFile& file : files) {
    pages_.insert_or_assign(std::string(place_of(file.path)),
                            prepare(content_type_of(file.path), file.path, std::move(file.bytes)));
  }
}

const PreparedBody* Site::find(std::string_view path) const {
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto found = pages_.find(path);
  return found == pages_.end() ? nullptr : &found->second;
}

}  // namespace kbase::http
