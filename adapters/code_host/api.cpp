// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/api.hpp"

#include <algorithm>
#include <utility>

#include "domain/base/utf8.hpp"

namespace kbase::code_host {
namespace {

void drop_slashes(std::string& url) {
  while (url.ends_with('/')) url.pop_back();
}

bool is_http(std::string_view url) { return url.starts_with("http://") || url.starts_with("https://"); }

}  // namespace

Result<Api> Api::make(ports::HttpClient* http, const ports::Clock& clock, const Options& options,
                      std::vector<Field> fields) {
  const std::string& url = options.base_url;
  const std::size_t scheme = url.find("://");
  // An HTTP client checks the URL itself, in any spelling of the scheme.
  if (scheme == url.npos || url.find_first_of("?#") != url.npos || (http == nullptr && !is_http(url)))
    return invalid_argument(
        "base_url",
        "base_url must be the URL of the service. It must begin with http:// or https:// and have no query.");
  if (utf8::graphic_ascii_length(options.token) != options.token.size())
    return invalid_argument("token", "token must contain only printable ASCII characters without spaces.");
  const std::size_t slash = std::min(url.find('/', scheme + 3), url.size());
  std::string path = url.substr(slash);
  drop_slashes(path);
  return Api{http,
             clock,
             url.substr(0, slash),
             std::move(path),
             std::move(fields),
             options.token.empty() ? std::string() : "Bearer " + options.token,
             std::max(options.max_calls, kMinCalls)};
}

bool Api::covers(std::string_view target) const noexcept {
  if (path.empty()) return true;
  const bool has_dot_segments = target.find("/..") != target.npos || target.find('%') < target.find('?');
  return !has_dot_segments && target.starts_with(path) && target.substr(path.size(), 1) == "/";
}

std::string strip_api_path(std::string url, std::string_view suffix) {
  drop_slashes(url);
  if (url.ends_with(suffix)) url.resize(url.size() - suffix.size());
  return url;
}

Error invalid_response(std::string detail) {
  return {ErrorCode::BadUpstream, "The code-hosting service sent an invalid response.", std::move(detail)};
}

Error user_not_found() { return {ErrorCode::NotFound, "The code-hosting service has no user with this name."}; }

Error unavailable(std::string detail, std::chrono::milliseconds retry_after) {
  return {ErrorCode::Unavailable,
          "The code-hosting service accepts no requests at the moment.",
          std::move(detail),
          {},
          retry_after};
}

}  // namespace kbase::code_host
