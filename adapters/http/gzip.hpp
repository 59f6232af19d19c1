// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbase::http {

/// `text` as one gzip member (RFC 1952), compressed for speed; nullopt where that would not make it smaller, or where
/// memory is short.
std::optional<std::string> gzip(std::string_view text);

}  // namespace kbase::http
