// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace kbase::json {

/// What keeps a document of somebody else from taking more memory and stack than it is worth: a value takes fifty times
/// as many bytes once it is read as it does in the text, and nested ones are copied level by level.
struct Bounds {
  std::size_t depth;   ///< of arrays and objects in each other
  std::size_t values;  ///< elements and members of all of them together
};

/// Whether a document may be read. Looks at it once and takes no memory; text that is no JSON may be within, too.
bool is_within(const Bounds& bounds, std::string_view text) noexcept;

}  // namespace kbase::json
