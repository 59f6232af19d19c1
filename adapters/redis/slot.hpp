// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kbase::redis {

inline constexpr std::uint16_t kSlots = 16384;

/// Returns the cluster slot of a key: CRC-16/XMODEM of its hash tag, or of the whole key (Redis cluster specification,
/// "Key distribution model" and "Hash tags").
std::uint16_t slot_of(std::string_view key);

}  // namespace kbase::redis
