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

/// Whether `text` is a host with or without a port, as in Host and in targets (RFC 9110 section 7.2, RFC 3986 section
/// 3.2): uri-host [ ":" port ]. The empty text is one; a user before the host makes none (RFC 9110 section 4.2.4).
bool is_authority(std::string_view text);

struct Target {
  std::string_view path;
  std::string_view query;  ///< without its `?`
};
Target split_target(std::string_view target);

}  // namespace kbase::http
