// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/framing.hpp"

#include "adapters/http/syntax.hpp"
#include "adapters/http/uri.hpp"

namespace kbase::http {

void Framing::refuse(unsigned status, std::string_view message) {
  if (!refusal_) refusal_ = Refusal{status, message};
}

void Framing::note(std::string_view name, std::string_view value) {
  if (name == "host")
    note_host(value);
  else if (name == "content-length")
    note_content_length(value);
  else if (name == "transfer-encoding")
    note_transfer_encoding(value);
  else if (name == "connection")
    note_connection(value);
  else if (name == "expect")
    note_expect(value);
  else if (name == "authorization" && ++authorizations_ > 1)
    refuse(400, "There is more than one Authorization field.");
  else if (name == "content-type" && ++content_types_ > 1)
    refuse(400, "There is more than one Content-Type field.");
}

void Framing::note_host(std::string_view value) {
  if (++hosts_ > 1) refuse(400, "There is more than one Host field.");
  if (!is_authority(value)) refuse(400, "The Host field is malformed.");
}

void Framing::note_content_length(std::string_view value) {
  if (content_length_) refuse(400, "There is more than one Content-Length field.");
  content_length_ = decimal(value);
  if (!content_length_) refuse(400, "The Content-Length field is no decimal number.");
}

void Framing::note_transfer_encoding(std::string_view value) {
  while (!value.empty()) {
    const std::string_view coding = next_element(value);
    if (coding.empty()) continue;
    ++codings_;
    if (chunked_) return refuse(400, "The transfer coding chunked is not the last one, or not the only one.");
    if (!equals_lower(coding, "chunked")) return refuse(501, "Only the transfer coding chunked is understood.");
    chunked_ = true;
  }
  if (codings_ == 0) refuse(400, "The Transfer-Encoding field is empty.");
}

void Framing::note_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = next_token(value);
    close_ = close_ || equals_lower(option, "close");
    keep_alive_ = keep_alive_ || equals_lower(option, "keep-alive");
  }
}

void Framing::note_expect(std::string_view value) {
  if (!equals_lower(value, "100-continue")) return refuse(417, "Only the expectation 100-continue can be met.");
  expects_continue_ = true;
}

std::optional<Refusal> Framing::judge(unsigned minor_version, std::uint64_t max_body_bytes) const {
  if (refusal_) return refusal_;
  if (minor_version >= 1 && hosts_ == 0) return Refusal{400, "The Host field is missing."};
  if (codings_ > 0 && content_length_) return Refusal{400, "There are both Transfer-Encoding and Content-Length."};
  if (codings_ > 0 && minor_version == 0) return Refusal{400, "HTTP/1.0 has no Transfer-Encoding."};
  if (content_length() > max_body_bytes) return Refusal{413, "The body is larger than this server takes."};
  return std::nullopt;
}

Framing::Body Framing::body() const noexcept {
  if (chunked_) return Body::Chunked;
  return content_length() > 0 ? Body::Fixed : Body::None;
}

}  // namespace kbase::http
