// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// The parts of a request target (RFC 3986).
namespace kbase::http {

enum class Plus { Itself, Space };  ///< what `+` means: itself in a path, a space in a query

/// `text` with its percent-encoding undone. nullopt: a `%` without two hexadecimal digits after it.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus);

/// `text` with everything but unreserved characters percent-encoded.
std::string percent_encoded(std::string_view text);

/// Whether the encoded `text` stands for `plain`; true only of valid encoding.
bool decodes_to(std::string_view text, std::string_view plain);

struct Target {
  std::string_view path;
  std::string_view query;  ///< without its `?`
};
Target split_target(std::string_view target);

}  // namespace kbase::http
