// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/http_defs.h>

#include <string>
#include <string_view>

#include "adapters/http/static_content.hpp"

namespace kbase::http {

using HttpStatus = Pistache::Http::Code;

/// Reply of an endpoint, without the header fields that all responses have.
struct Reply {
  enum class Caching {
    Revalidate,  ///< private cache; the client revalidates each time, or after cache.http_max_age
    Never,
  };

  enum class Format {
    Json,
    EventStream,  ///< sent while it is computed; `body` is empty
    Page,         ///< a page of the site
  };

  HttpStatus status = HttpStatus::Ok;
  std::string body;        ///< JSON; empty: no body
  std::string entity_tag;  ///< value of the ETag field; empty: none
  std::string fields;      ///< additional header fields, as complete lines
  Caching caching = Caching::Never;
  Format format = Format::Json;
  const PreparedBody* prepared = nullptr;  ///< used instead of `body`; must outlive the reply
};

inline void add_field(std::string& fields, std::string_view name, std::string_view value) {
  fields.append(name).append(": ").append(value).append("\r\n");
}

inline bool is_server_error(HttpStatus status) { return static_cast<int>(status) >= 500; }

}  // namespace kbase::http
