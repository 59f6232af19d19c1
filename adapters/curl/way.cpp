// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/way.hpp"

namespace kbase::curl {

CURLcode set_way(CURL* handle, const Url& url, const ClientOptions& options) {
  CURLcode done = CURLE_OK;
  const auto set = [&](CURLoption option, auto value) {
    if (done == CURLE_OK) done = curl_easy_setopt(handle, option, value);
  };
  set(CURLOPT_CURLU, url.handle());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);  // the client checks and follows each redirect itself
  // HTTP/1.1 has one exchange per connection, so that a response that is not read does not block other exchanges.
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
  set(CURLOPT_PROXY_SSL_VERIFYHOST, 2L);
  if (!options.ca_file.empty()) {
    set(CURLOPT_CAINFO, options.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // not those of the system either
    set(CURLOPT_PROXY_CAINFO, options.ca_file.c_str());
    set(CURLOPT_PROXY_CAPATH, static_cast<const char*>(nullptr));
  }
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // a proxy must not see the fields of the request
  // Empty, unlike null, disables the environment variables.
  set(CURLOPT_PROXY, options.proxy.c_str());
  set(CURLOPT_NOPROXY, options.no_proxy.c_str());
  return done;
}

}  // namespace kbase::curl
