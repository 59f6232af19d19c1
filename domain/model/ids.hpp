// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kbase::model {

inline constexpr std::size_t kMaxIdBytes = 256;

/// Returns why `text` is not a valid id of an item or category; empty: it is valid. A valid id has 1 to 256 bytes of
/// UTF-8 without control characters and is neither "." nor ".." (docs/content/validation.md).
std::string_view id_defect(std::string_view text);

/// Whether `text` is the address of a page: an http or https address without white space, or an absolute path.
bool is_page_address(std::string_view text);

/// Whether `text` has the form of a language tag (BCP 47): "en", "pt-BR", "zh-Hant-TW".
bool is_language(std::string_view text);

/// Whether the language `tag` of an item is `range` or a form of it (RFC 4647, section 3.3.1): "en-US" is in "EN".
bool is_language_in(std::string_view tag, std::string_view range);

/// Returns every range that the language `tag` is in, in lower case: "zh-hant-tw", "zh-hant" and "zh". For indexes that
/// look ranges up. An empty tag is in none.
std::vector<std::string> language_ranges(std::string_view tag);

/// Number of a change. Each changed record gets its own, in commit order under the store's single writer. A reader that
/// sees revision r sees all lower ones. 0: the empty store, before its first change.
using Revision = std::uint64_t;

/// A number that grows whenever counted views may have changed. 0: no views counted yet.
using ViewsRevision = std::uint64_t;

/// 128 random bits, generated when a store is created. An index or cache with another store id belongs to other
/// content.
using StoreId = std::array<std::uint8_t, 16>;

}  // namespace kbase::model
