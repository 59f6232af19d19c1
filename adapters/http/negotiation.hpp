// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/http/request.hpp"

namespace kbase::http {

/// Returns whether the client accepts gzip (RFC 9110 section 12.5.3): listed by name or by `*`, and not with q=0.
bool accepts_gzip(const Request& request);

/// Returns whether If-None-Match contains this entity tag, by weak comparison (RFC 9110 section 13.1.2).
bool lists_entity_tag(const Request& request, std::string_view entity_tag);

/// Returns whether If-None-Match is `*`, which matches any existing representation.
bool lists_any_entity(const Request& request);

/// Returns whether the body can be read: its Content-Type is JSON or absent, and it is not compressed.
bool has_json_body(const Request& request);

}  // namespace kbase::http
