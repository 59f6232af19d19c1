// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/easy_handle.hpp"

#include <utility>

namespace kbase::curl {

CURLcode set_connection_options(CURL* handle, const Url& url, const ClientOptions& options) {
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

Error unreachable(std::string detail) {
  return {ErrorCode::Unavailable, "The external service could not be reached.", std::move(detail)};
}

Error timed_out(std::string detail) {
  return {ErrorCode::Deadline, "The external service did not answer in time.", std::move(detail)};
}

Error bad_response(std::string detail) {
  return {ErrorCode::BadUpstream, "The external service sent an invalid response.", std::move(detail)};
}

Error cancelled() { return {ErrorCode::Cancelled, "The caller cancelled the request."}; }

Error to_error(CURLcode code, const std::string& text) {
  std::string detail = text.empty() ? curl_easy_strerror(code) : text;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING: return unreachable(std::move(detail));
    case CURLE_SSL_CONNECT_ERROR:
      return unreachable(detail + "; check that the server uses TLS, or change the URL to http://");
    case CURLE_PEER_FAILED_VERIFICATION:
      return bad_response(detail +
                          "; the URL's host must be a name in the certificate, and upstream.ca_file, or this " +
                          "machine, must trust the authority that issued it");
    case CURLE_OPERATION_TIMEDOUT: return timed_out(std::move(detail));
    case CURLE_OUT_OF_MEMORY: return {ErrorCode::NoMemory, "Not enough memory.", std::move(detail)};
    case CURLE_SSL_CACERT_BADFILE:
      return {ErrorCode::Internal, "The file with the certificate authorities cannot be read.", std::move(detail)};
    default: return bad_response(std::move(detail));
  }
}

bool is_transient(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
         code == CURLE_GOT_NOTHING;
}

}  // namespace kbase::curl
