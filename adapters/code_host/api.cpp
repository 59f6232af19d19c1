// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/api.hpp"

#include <algorithm>
#include <utility>

#include "domain/model/utf8.hpp"

namespace kbase::code_host {
namespace {

void drop_slashes(std::string& url) {
  while (url.ends_with('/')) url.pop_back();
}

bool is_http(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

}  // namespace

model::Result<Api> Api::make(ports::HttpClient* http, const ports::Clock& clock, const Options& options,
                             std::vector<Field> fields) {
  const std::string& url = options.base_url;
  const std::size_t scheme = url.find("://");
  // An HTTP client checks the URL itself, in any spelling of the scheme.
  if (scheme == url.npos || url.find_first_of("?#") != url.npos || (http == nullptr && !is_http(url)))
    return model::invalid_argument("base_url",
                                   "base_url must be the service's URL, http:// or https://, without a query");
  if (model::utf8::graphic_ascii_length(options.token) != options.token.size())
    return model::invalid_argument("token", "token must be as the service gave it, without spaces or line ends");
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
  const bool climbs = target.find("/..") != target.npos || target.find('%') < target.find('?');
  return !climbs && target.starts_with(path) && target.substr(path.size(), 1) == "/";
}

std::string site_of(std::string url, std::string_view ending) {
  drop_slashes(url);
  if (url.ends_with(ending)) url.resize(url.size() - ending.size());
  return url;
}

}  // namespace kbase::code_host
