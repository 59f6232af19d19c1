// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/server.hpp"

namespace kbase::http {

enum class Compression {
  Fast,   ///< for a body that is sent once
  Small,  ///< for a body that is kept
};

/// Returns `text` as one gzip member (RFC 1952), or nullopt if it would not be smaller or memory allocation fails.
std::optional<std::string> gzip(std::string_view text, Compression compression = Compression::Fast);

/// A static response body, compressed once.
struct PreparedBody {
  std::string_view content_type;
  std::string body;
  std::string gzip_body;   ///< gzip form; empty if it would not be smaller
  std::string entity_tag;  ///< weak, because it covers both forms
  bool is_immutable = false;
};

/// `name` distinguishes equal bodies of different paths. `content_type` must outlive the result.
PreparedBody prepare_body(std::string_view content_type, std::string_view name, std::string body);

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

/// Content-Security-Policy of a page: resources and connections only from this origin, except the pictures of
/// articles; no embedding in frames.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https: http:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

}  // namespace kbase::http
