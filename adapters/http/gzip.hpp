// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbase::http {

enum class Compression {
  Fast,   ///< for what is sent once
  Small,  ///< for what is kept
};

/// `text` as one gzip member (RFC 1952); nullopt where that would not make it smaller, or where memory is short.
std::optional<std::string> gzip(std::string_view text, Compression compression = Compression::Fast);

}  // namespace kbase::http
