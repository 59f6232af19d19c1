// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::config {

/// Describes what `text` must be for the schema's `format`. Empty: `text` is valid, or the format is unknown.
std::string_view format_defect(std::string_view format, std::string_view text);

/// Returns the secret part of a text in the format "proxy-url" or "server-url": user and password without the @ after
/// them.
std::string_view credentials_of(std::string_view url);

/// Parses a duration to milliseconds or a size to bytes, the units of the schema's `minimum` and `maximum`. nullopt:
/// `format` is neither, or `text` is invalid.
std::optional<std::uint64_t> quantity_of(std::string_view format, std::string_view text);

/// Parses a SHA-256. nullopt: not 64 lower-case hexadecimal digits.
std::optional<std::array<std::uint8_t, 32>> parse_sha256(std::string_view text);

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Replaces every ${NAME} and ${NAME:-default} by the variable's value (the default also replaces an empty value, as in
/// a shell), and every "$${" by "${". nullopt: `text` contains none of them. InvalidArgument, with only the reason as
/// message: a variable without a default is not set, a value is not valid UTF-8, a name is invalid, or a "${" is not
/// closed.
Result<std::optional<std::string>> expand(std::string_view text, const Environment& environment);

/// Returns the text that expand() turns into `text`.
std::string without_expansion(std::string_view text);

}  // namespace kbase::config
