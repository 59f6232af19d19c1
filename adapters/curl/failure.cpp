// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/failure.hpp"

#include <utility>

namespace kbase::curl {

using model::ErrorCode;

model::Error unreachable(std::string detail) {
  return {ErrorCode::Unavailable, "The external service could not be reached.", std::move(detail), {}, {}};
}

model::Error too_late(std::string detail) {
  return {ErrorCode::Deadline, "The external service did not answer in time.", std::move(detail), {}, {}};
}

model::Error bad_answer(std::string detail) {
  return {ErrorCode::BadUpstream, "The external service's answer can't be used.", std::move(detail), {}, {}};
}

model::Error cancelled() {
  return {ErrorCode::Cancelled, "Nobody waits for the answer any more.", {}, {}, {}};
}

model::Error error_of(CURLcode code, const std::string& text) {
  std::string detail = text.empty() ? curl_easy_strerror(code) : text;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
      return unreachable(std::move(detail));
    case CURLE_SSL_CONNECT_ERROR:
      return unreachable(detail + "; see whether TLS is spoken there, or http:// is meant");
    case CURLE_PEER_FAILED_VERIFICATION:
      return bad_answer(detail + "; the URL's host must be a name in the certificate, and upstream.ca_file, or this " +
                        "machine, must trust its authority");
    case CURLE_OPERATION_TIMEDOUT:
      return too_late(std::move(detail));
    case CURLE_OUT_OF_MEMORY:
      return {ErrorCode::NoMemory, "Not enough memory.", std::move(detail), {}, {}};
    case CURLE_SSL_CACERT_BADFILE:
      return {ErrorCode::Internal, "The file of certificate authorities can't be read.", std::move(detail), {}, {}};
    default:
      return bad_answer(std::move(detail));
  }
}

bool is_passing(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR ||
         code == CURLE_GOT_NOTHING;
}

}  // namespace kbase::curl
