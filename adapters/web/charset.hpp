// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::web {

/// Returns the body of an HTML or text response as UTF-8. Its encoding is the `charset` of the content type, else that
/// of a `meta` element of HTML in the first 1024 bytes, else UTF-8, else windows-1252 (WHATWG Encoding Standard). Bytes
/// that are not valid in the encoding become U+FFFD. An unknown encoding: the body as it is.
std::string to_utf8(std::string body, std::string_view content_type);

}  // namespace kbase::web
