// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kbase::model {

inline constexpr std::size_t kMaxIdBytes = 256;

/// Why `text` can be no id of an item or category: 1 to 256 bytes of valid UTF-8 without control characters, neither
/// "." nor ".." (docs/content/validation.md). Empty where it can.
std::string_view id_defect(std::string_view text);

/// The number of a change: one for each changed record, given in the order of the commits under the store's single
/// writer. Whoever sees r sees everything below. 0: the empty store, before its first change.
using Revision = std::uint64_t;

/// A number that grows whenever the counted views may have changed; 0: none counted yet.
using ViewsRevision = std::uint64_t;

/// 128 random bits made when a store is created: an index or cache of another lineage belongs to other content.
using StoreId = std::array<std::uint8_t, 16>;

}  // namespace kbase::model
