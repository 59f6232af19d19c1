// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::curl {

/// What a URL's requests are sent to (RFC 6454). The host in lower case, the port always.
struct Origin {
  std::string scheme;
  std::string host;
  std::string port;

  friend bool operator==(const Origin&, const Origin&) = default;
  std::string text() const { return scheme + "://" + host + ":" + port; }
};

/// A URL as libcurl's own parser understood it: what was checked is what is asked, for no text is parsed twice.
///
/// Only http and https, in printable ASCII without spaces and backslashes, and without user information: what two
/// parsers could read in two ways is refused. Hosts beyond ASCII are written as "xn--".
class Url {
 public:
  /// InvalidArgument with a sentence that says what is wrong.
  static model::Result<Url> parse(std::string_view text);

  /// What `reference` (RFC 3986, section 4.1) means beside this URL. Fails as parse().
  model::Result<Url> resolve(std::string_view reference) const;

  const Origin& origin() const noexcept { return origin_; }

  /// For CURLOPT_CURLU; lives as long as this.
  CURLU* handle() const noexcept { return handle_.get(); }

 private:
  struct Free {
    void operator()(CURLU* handle) const noexcept { curl_url_cleanup(handle); }
  };
  using Handle = std::unique_ptr<CURLU, Free>;

  Url(Handle handle, Origin origin) : handle_(std::move(handle)), origin_(std::move(origin)) {}
  static model::Result<Url> read(Handle handle, std::string_view text);

  Handle handle_;
  Origin origin_;
};

}  // namespace kbase::curl
