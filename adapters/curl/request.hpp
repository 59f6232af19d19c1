// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/options.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {

/// An origin (RFC 6454). The host is in lower case; the port is always set.
struct Origin {
  std::string scheme;
  std::string host;
  std::string port;

  friend bool operator==(const Origin&, const Origin&) = default;
  std::string text() const { return scheme + "://" + host + ":" + port; }
};

/// A URL parsed by libcurl's own parser. No text is parsed twice, so the URL that was checked is the URL that is
/// requested.
///
/// Accepts only http and https, in printable ASCII without spaces, backslashes and user information, because two
/// parsers could interpret other URLs differently. Hosts beyond ASCII must be in "xn--" form.
class Url {
 public:
  /// InvalidArgument; the message describes the error.
  static Result<Url> parse(std::string_view text);

  /// Resolves `reference` (RFC 3986, section 4.1) against this URL. Errors: those of parse().
  Result<Url> resolve(std::string_view reference) const;

  const Origin& origin() const noexcept { return origin_; }

  /// The handle for CURLOPT_CURLU. Owned by this object.
  CURLU* handle() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(CURLU* handle) const noexcept { curl_url_cleanup(handle); }
  };
  using Handle = std::unique_ptr<CURLU, Free>;

  Url(Handle handle, Origin origin) : handle_(std::move(handle)), origin_(std::move(origin)) {}
  static Result<Url> read(Handle handle, std::string_view text);

  Handle handle_;
  Origin origin_;
};

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
Result<Request> validate_request(const ports::HttpRequest& request, std::span<const Origin> allowed,
                                 const ClientOptions& options);

}  // namespace kbase::curl
