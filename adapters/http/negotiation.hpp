// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/http/request.hpp"

namespace kbase::http {

/// Whether the client takes gzip (RFC 9110 section 12.5.3): named, or by `*`, and not with q=0.
bool accepts_gzip(const Request& request);

/// Whether If-None-Match lists this entity tag, by weak comparison (RFC 9110 section 13.1.2).
bool lists_entity_tag(const Request& request, std::string_view entity_tag);

/// Whether If-None-Match is `*`: true of whatever exists.
bool lists_any_entity(const Request& request);

/// Whether a body of this request can be read: JSON by its Content-Type (absent counts as JSON), not compressed.
bool has_json_body(const Request& request);

}  // namespace kbase::http
