// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/cors.hpp"

#include <algorithm>

#include "adapters/http/answer.hpp"

namespace kbase::http {
namespace {

bool has(const std::vector<std::string>& texts, std::string_view wanted) {
  return std::find(texts.begin(), texts.end(), wanted) != texts.end();
}

}  // namespace

CorsPolicy::CorsPolicy(const CorsOptions& options) : options_(options), any_(has(options.allowed_origins, "*")) {}

void CorsPolicy::write_fields(std::string& fields, std::optional<std::string_view> origin) const {
  if (any_)
    add_field(fields, "Access-Control-Allow-Origin", "*");
  else if (origin && has(options_.allowed_origins, *origin))
    add_field(fields, "Access-Control-Allow-Origin", *origin);
  add_field(fields, "Access-Control-Expose-Headers",
            "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After, "
            "X-Request-Id, X-Search-Match, X-Search-Corrected, X-Search-Did-You-Mean, ETag");
}

void CorsPolicy::write_preflight(std::string& fields) const {
  add_field(fields, "Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  // `*` matches every field except Authorization.
  add_field(fields, "Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match, X-Request-Id, *");
  add_field(fields, "Access-Control-Max-Age", std::to_string(options_.max_age.count()));
}

}  // namespace kbase::http
