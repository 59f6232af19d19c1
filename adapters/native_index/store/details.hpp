// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/model/item.hpp"

namespace kbase::native_index {

/// What a hit shows of its item besides the columns and the excerpt. Stored as one text next to the content.
struct Details {
  std::string_view title, url, language, version;
  std::vector<std::string_view> tags;      ///< empty if the columns have all
  std::vector<std::string_view> sections;  ///< see model::encode_section()
};

/// Replaces `packed` by the details of the item.
void pack_details(const model::ItemView& item, std::string& packed);

/// Reads what pack_details() wrote into `details`, as views of `packed`. False: the bytes are damaged.
[[nodiscard]] bool unpack_details(std::string_view packed, Details& details);

}  // namespace kbase::native_index
