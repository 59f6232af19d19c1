// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "domain/model/item.hpp"

/// Encoding of a list of strings in one column, readable without a copy: each string follows its length in bytes as
/// LEB128 (seven bits per byte, low bits first, the high bit set on all bytes except the last; DWARF 5, section 7.6).
namespace kbase::sqlite::text_list {

/// Replaces the content of `packed`.
void pack(model::TextList list, std::vector<std::uint8_t>& packed);

/// Replaces the content of `list` by views into `packed`. False: the bytes are not a valid list.
[[nodiscard]] bool unpack(std::span<const std::uint8_t> packed, std::vector<std::string_view>& list);

}  // namespace kbase::sqlite::text_list
