// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "domain/model/function_ref.hpp"
#include "domain/model/item.hpp"

/// An item's tags as one text of a column: of each its length in bytes, a colon and itself. Empty tags, which nobody
/// can look for, are left out.
namespace kbase::fts5 {

std::string packed_tags(model::TextList tags);

/// Tells each, in their order; of a text that is no such list those before the fault.
void visit_tags(std::string_view packed, model::FunctionRef<void(std::string_view)> visitor);

bool has_tag(std::string_view packed, std::string_view tag);

}  // namespace kbase::fts5
