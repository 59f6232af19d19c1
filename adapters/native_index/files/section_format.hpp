// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// How a file of sections is laid out, for its writer and its reader alone:
///
///   8 bytes magic, zeros up to 64
///   the sections, each from a multiple of 64 on, zeros between them
///   the table, from a multiple of 64 on, for each section: kind u32, 0 u32, offset u64, size u64, XXH3-64 u64
///   the footer: format u32, sections u32, offset of the table u64, XXH3-64 of the table and the 16 bytes before u64,
///   magic
///
/// It is read from its end, which is written last: a file that was cut off has no footer.
namespace kbase::native_index {

inline constexpr std::size_t kSectionAlignment = 64;
inline constexpr std::size_t kTableEntryBytes = 32;
inline constexpr std::size_t kFooterBytes = 32;
inline constexpr std::size_t kFooterChecksumAt = 16;
inline constexpr std::size_t kMagicBytes = 8;

/// Begins and ends the file.
inline constexpr std::string_view kMagic{"kbaseidx", kMagicBytes};

}  // namespace kbase::native_index
