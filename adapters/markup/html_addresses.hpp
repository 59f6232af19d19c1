// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::markup {

/// Returns the absolute address that `written` means in a page at `base` (RFC 3986, section 5); empty: it is malformed.
/// Authors write characters that an address cannot have, most often spaces; they are encoded.
std::string absolute_address(std::string_view written, const std::string& base);

}  // namespace kbase::markup
