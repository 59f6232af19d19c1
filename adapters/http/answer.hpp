// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pistache/http_defs.h>

#include <string>
#include <string_view>

#include "adapters/http/prepared_body.hpp"

namespace kbase::http {

using Status = Pistache::Http::Code;

/// What an endpoint answers, before that which every answer carries is added.
struct Answer {
  enum class Caching {
    Revalidate,  ///< kept by the client alone and asked about each time (or for cache.http_max_age)
    Never,
  };

  enum class Format {
    Json,
    EventStream,  ///< sent while it is being made: `body` is empty
    Page,         ///< of the site
  };

  Status status = Status::Ok;
  std::string body;        ///< JSON; empty: none
  std::string entity_tag;  ///< as it stands in ETag; empty: none
  std::string fields;      ///< whole field lines of its own
  Caching caching = Caching::Never;
  Format format = Format::Json;
  const PreparedBody* prepared = nullptr;  ///< in place of `body`; outlives the answer
};

inline void add_field(std::string& fields, std::string_view name, std::string_view value) {
  fields.append(name).append(": ").append(value).append("\r\n");
}

inline bool is_server_error(Status status) {
  return static_cast<int>(status) >= 500;
}

}  // namespace kbase::http
