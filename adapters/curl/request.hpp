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

/// A validated copy of a request that leads to an allowed origin.
struct Request {
  std::string method;
  Url url;
  std::vector<std::string> lines;  ///< fields in the form that libcurl expects
  std::string body;
  std::uint32_t max_redirects = 0;
  std::uint64_t max_body_bytes = 0;
  std::uint32_t max_attempts = 0;

  bool is_head() const { return method == "HEAD"; }
  /// Whether the request may be retried and may follow redirects: GET and HEAD (a subset of RFC 9110, section 9.2.2).
  bool is_repeatable() const { return method == "GET" || is_head(); }
};

/// Validates `request`. InvalidArgument: the request is not valid; `parameter` names the member.
model::Result<Request> checked(const ports::HttpRequest& request, std::span<const Origin> allowed,
                               const ClientOptions& options);

}  // namespace kbase::curl
