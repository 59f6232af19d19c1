// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

/// Durations and sizes as configurations write them.
namespace kbase::model {

/// "500ms", "10s", "5m", "24h", "90d": digits and one unit, at most 100 years. Nothing else is a duration.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// "512" (bytes), "64KiB", "1MiB", "2GiB": digits and at most one unit, below 2^63.
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace kbase::model
