// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapters/curl/options.hpp"
#include "adapters/curl/url.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {

/// A request that may be sent: a copy, found to be well formed and to lead to an allowed origin.
struct Request {
  std::string method;
  Url url;
  std::vector<std::string> lines;  ///< the fields as libcurl wants them
  std::string body;
  std::uint32_t max_redirects = 0;
  std::uint64_t max_body_bytes = 0;
  std::uint32_t max_attempts = 0;

  bool is_head() const { return method == "HEAD"; }
  /// Whether it may be sent again, and follow a redirect: GET and HEAD (RFC 9110, section 9.2.2, knows more).
  bool is_repeatable() const { return method == "GET" || is_head(); }
};

/// InvalidArgument, with the member that is wrong.
model::Result<Request> checked(const ports::HttpRequest& request, std::span<const Origin> allowed,
                               const ClientOptions& options);

}  // namespace kbase::curl
