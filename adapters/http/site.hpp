// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/prepared_body.hpp"

namespace kbase::http {

/// A file of the site, with its path from the root, for example "/explorer/main.js".
struct SiteFile {
  std::string path;
  std::string bytes;
};

/// Static web pages served next to the API, read at the start and compressed once. Immutable, so thread-safe.
class Site {
 public:
  explicit Site(std::vector<SiteFile> files);

  /// Returns null if there is no such page. Ignores one trailing slash. Does not decode `path`, because no path of the
  /// site needs encoding.
  const PreparedBody* find(std::string_view path) const;

 private:
  std::map<std::string, PreparedBody, std::less<>> pages_;
};

/// Content-Security-Policy of a page: resources and connections only from this origin, no embedding in frames.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace kbase::http
