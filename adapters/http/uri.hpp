// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Parts of a request target (RFC 3986).
namespace kbase::http {

enum class Plus { Itself, Space };  ///< meaning of `+`: itself in a path, a space in a query

/// Percent-decodes `text`. Returns nullopt if a `%` is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

/// Percent-encodes all characters except the unreserved ones.
std::string percent_encoded(std::string_view text);

/// Returns whether `text` is a valid encoding of `plain`.
bool decodes_to(std::string_view text, std::string_view plain);

/// Returns whether `text` is a host with an optional port, as in Host and in targets: uri-host [ ":" port ] (RFC 9110
/// section 7.2, RFC 3986 section 3.2). An empty text is valid; user information is not (RFC 9110 section 4.2.4).
bool is_authority(std::string_view text);

struct Target {
  std::string_view path;
  std::string_view query;  ///< without the `?`
};
Target split_target(std::string_view target);

}  // namespace kbase::http
