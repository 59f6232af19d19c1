// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace kbase::redis {

inline constexpr std::uint16_t kSlots = 16384;

/// The slot of a cluster in which a key lies: CRC-16/XMODEM of its hash tag, or of all of it (Redis cluster
/// specification, "Key distribution model" and "Hash tags").
std::uint16_t slot_of(std::string_view key);

}  // namespace kbase::redis
