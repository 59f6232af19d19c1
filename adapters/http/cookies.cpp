// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/cookies.hpp"

#include <algorithm>

namespace kbase::http {

std::optional<std::string_view> find_cookie(const Request& request, std::string_view name) {
  std::optional<std::string_view> value;
  request.each_field("cookie", [&value, name](std::string_view cookies) {
    while (!cookies.empty()) {
      const std::size_t end = std::min(cookies.find(';'), cookies.size());
      std::string_view pair = cookies.substr(0, end);
      pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
      if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) value = pair.substr(name.size() + 1);
      cookies.remove_prefix(std::min(end + 1, cookies.size()));
    }
  });
  return value;
}

std::string format_cookie(std::string_view name, std::string_view value, std::chrono::seconds age, bool is_secure) {
  std::string cookie(name);
  cookie.append("=").append(value);
  cookie.append("; Max-Age=").append(std::to_string(age.count()));
  cookie.append("; Path=/; HttpOnly; SameSite=Strict");
  return is_secure ? cookie + "; Secure" : cookie;
}

}  // namespace kbase::http
