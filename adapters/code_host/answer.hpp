// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/code_host/api.hpp"

namespace kbase::code_host {

inline constexpr std::uint32_t kOk = 200;
inline constexpr std::uint32_t kNotModified = 304;
inline constexpr std::uint32_t kUnauthorized = 401;
inline constexpr std::uint32_t kForbidden = 403;
inline constexpr std::uint32_t kNotFound = 404;

/// What the service answered, read to its end.
struct Answer {
  std::uint32_t status = 0;
  std::vector<Field> fields;  ///< names in lower case
  std::string body;

  /// Empty where there is none.
  std::string_view field(std::string_view name) const;

  /// The path and query of the page that follows by `Link: <...>; rel="next"` (RFC 8288, section 3); empty: none does.
  /// The link's host is what the service takes for its own name, which behind a proxy is another than ours; only its
  /// path counts, so that it leads nowhere else.
  std::string_view next_page() const;

  /// Where a redirect leads, as path and query on `origin`; empty: elsewhere, or it is no redirect.
  std::string_view moved_to(std::string_view origin) const;

  /// What tells this answer from another one to the same request: its ETag, else "#" and a digest.
  std::string tag() const;
};

/// Whether it is the path, and the query, of a URL: what can be asked for and stand in a validator.
bool is_path(std::string_view text);

/// Whether a tag is one that If-None-Match may hold.
inline bool is_entity_tag(std::string_view tag) {
  return !tag.empty() && tag.front() != '#';
}

}  // namespace kbase::code_host
