// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

/// Names of members of an item's extra metadata (ItemMetadata::extra) that imports write and the pages read. The first
/// name of each is the one that kbase writes; the others are those of site generators.
namespace kbase::model {

/// The place of a page in its category, a number.
inline constexpr std::array<std::string_view, 4> kPlaceMembers = {"order", "sidebar_position", "nav_order", "weight"};

/// The address where the source of a page can be edited.
inline constexpr std::array<std::string_view, 3> kEditMembers = {"edit_url", "custom_edit_url", "editUrl"};

}  // namespace kbase::model
