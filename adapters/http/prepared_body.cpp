// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/prepared_body.hpp"

#include "adapters/http/entity_tag.hpp"
#include "adapters/http/gzip.hpp"

namespace kbase::http {

PreparedBody prepare(std::string_view content_type, std::string_view name, std::string body) {
  PreparedBody prepared;
  prepared.content_type = content_type;
  prepared.packed = gzip(body, Compression::Small).value_or(std::string());
  prepared.entity_tag = entity_tag(name, {}, body);
  prepared.body = std::move(body);
  return prepared;
}

}  // namespace kbase::http
