// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kbase::http {

enum class Compression {
  Fast,   ///< for a body that is sent once
  Small,  ///< for a body that is kept
};

/// Returns `text` as one gzip member (RFC 1952), or nullopt if it would not be smaller or memory allocation fails.
std::optional<std::string> gzip(std::string_view text, Compression compression = Compression::Fast);

}  // namespace kbase::http
