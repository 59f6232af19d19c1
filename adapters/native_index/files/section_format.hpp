// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// Layout of a file of sections, used only by its writer and reader:
///
///   8 bytes magic, zeros up to 64
///   sections, each at a multiple of 64, zeros between them
///   table at a multiple of 64, per section: kind u32, 0 u32, offset u64, size u64, XXH3-64 u64
///   footer: format u32, number of sections u32, offset of the table u64,
///           XXH3-64 of the table and of the footer's first 16 bytes u64, magic
///
/// The file is read from its end, which is written last: a truncated file has no footer.
namespace kbase::native_index {

inline constexpr std::size_t kSectionAlignment = 64;
inline constexpr std::size_t kTableEntryBytes = 32;
inline constexpr std::size_t kFooterBytes = 32;
inline constexpr std::size_t kFooterChecksumAt = 16;
inline constexpr std::size_t kMagicBytes = 8;

/// First and last bytes of the file.
inline constexpr std::string_view kMagic{"kbaseidx", kMagicBytes};

}  // namespace kbase::native_index
