// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "domain/model/item.hpp"

/// A list of texts in one column, read without a copy: each text behind its length in bytes as LEB128 (seven bits a
/// byte, the low ones first, the high bit set on all but the last; DWARF 5, section 7.6).
namespace kbase::sqlite::text_list {

/// Replaces `packed`.
void pack(model::TextList list, std::vector<std::uint8_t>& packed);

/// Replaces `list` by views into `packed`. False: those bytes are no such list.
[[nodiscard]] bool unpack(std::span<const std::uint8_t> packed, std::vector<std::string_view>& list);

}  // namespace kbase::sqlite::text_list
