// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/base.h>

#include <cstddef>
#include <string>

namespace kbase::plugin_host {

/// Returns true if the view can be a text: it has an address and less than 1 GiB.
inline bool is_valid_view(kb_view view) noexcept {
  return (view.data != nullptr || view.size == 0) && view.size < (std::size_t{1} << 30);
}

/// Copies at most `max_bytes` as valid UTF-8; invalid bytes become U+FFFD.
std::string to_valid_utf8(kb_view view, std::size_t max_bytes);

}  // namespace kbase::plugin_host
