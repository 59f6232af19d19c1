// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

/// Durations and sizes in the configuration's notation.
namespace kbase::model {

/// Parses a duration of at most 100 years: digits and one unit, such as "500ms", "10s", "5m", "24h" or "90d". nullopt:
/// anything else.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// Parses a size below 2^63 bytes: digits and an optional unit, such as "512" (bytes), "64KiB", "1MiB" or "2GiB".
/// nullopt: anything else.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace kbase::model
