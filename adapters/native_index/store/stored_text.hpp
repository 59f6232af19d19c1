// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "adapters/native_index/files/section_kind.hpp"

namespace kbase::native_index {

inline constexpr SectionKind kStoreSection = section_kind("text");

/// Text that a hit shows in addition to its columns: the title, and the content from which excerpts are cut.
struct StoredText {
  std::string_view title;
  std::string_view content;
};

}  // namespace kbase::native_index
