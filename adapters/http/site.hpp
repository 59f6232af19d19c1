// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/prepared_body.hpp"

namespace kbase::http {

/// A file that a browser is shown, by its path from the root on, for example "/explorer/main.js".
struct SiteFile {
  std::string path;
  std::string bytes;
};

/// The pages beside the interface, as they were read at the start; compressed once. Immutable, any thread.
class Site {
 public:
  explicit Site(std::vector<SiteFile> files);

  /// Null: there is none. One trailing slash is ignored, and percent-encoding is not undone: no path here needs any.
  const PreparedBody* find(std::string_view path) const;

 private:
  std::map<std::string, PreparedBody, std::less<>> pages_;
};

/// What a page may do: show and run what came from here, ask nobody else, and stand in nobody's frame.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace kbase::http
