// SPDX-License-Identifier: Apache-2.0
#include "adapters/curl/url.hpp"

#include <algorithm>
#include <utility>

namespace kbase::curl {
namespace {

constexpr std::size_t kMaxUrlBytes = 16U << 10U;

model::Error wrong(std::string reason) {
  return model::invalid_argument("url", std::move(reason));
}

bool is_unambiguous(char c) {
  return c > ' ' && c < '\x7f' && c != '\\';
}

/// Returns the part of the URL; empty: there is no such part.
std::string part_of(CURLU* handle, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(handle, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, void (*)(void*)> owner(text, curl_free);
  return text;
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Origin origin_of(CURLU* handle) {
  Origin origin{part_of(handle, CURLUPART_SCHEME), part_of(handle, CURLUPART_HOST),
                part_of(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT)};
  std::transform(origin.host.begin(), origin.host.end(), origin.host.begin(), lower);
  return origin;
}

}  // namespace

model::Result<Url> Url::read(Handle handle, std::string_view text) {
  if (handle == nullptr) return model::Error{model::ErrorCode::NoMemory, "Not enough memory.", {}, {}, {}};
  if (text.size() > kMaxUrlBytes) return wrong("The URL is too long.");
  if (!std::all_of(text.begin(), text.end(), is_unambiguous))
    return wrong("The URL must be printable ASCII without spaces and backslashes; a host beyond it is written xn--.");

  const CURLUcode code = curl_url_set(handle.get(), CURLUPART_URL, std::string(text).c_str(), CURLU_DISALLOW_USER);
  if (code == CURLUE_USER_NOT_ALLOWED) return wrong("The URL must not hold a user name or password.");
  if (code != CURLUE_OK) return wrong(std::string("The URL can't be read: ") + curl_url_strerror(code) + ".");

  Origin origin = origin_of(handle.get());
  if (origin.scheme != "http" && origin.scheme != "https") return wrong("The URL must begin with http:// or https://.");
  if (origin.host.empty() || !std::all_of(origin.host.begin(), origin.host.end(), is_unambiguous))
    return wrong("The URL's host is none.");
  if (!part_of(handle.get(), CURLUPART_ZONEID).empty()) return wrong("The URL's host must not name an interface.");
  return Url(std::move(handle), std::move(origin));
}

model::Result<Url> Url::parse(std::string_view text) {
  return read(Handle(curl_url()), text);
}

model::Result<Url> Url::resolve(std::string_view reference) const {
  return read(Handle(curl_url_dup(handle_.get())), reference);
}

}  // namespace kbase::curl
