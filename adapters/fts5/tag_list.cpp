// SPDX-License-Identifier: Apache-2.0
#include "adapters/fts5/tag_list.hpp"

#include <charconv>

namespace kbase::fts5 {

std::string packed_tags(model::TextList tags) {
  std::string packed;
  for (const std::string_view tag : tags)
    if (!tag.empty()) packed.append(std::to_string(tag.size())).append(":").append(tag);
  return packed;
}

void visit_tags(std::string_view packed, model::FunctionRef<void(std::string_view)> visitor) {
  while (!packed.empty()) {
    const char* const end = packed.data() + packed.size();
    std::size_t size = 0;
    const auto [colon, error] = std::from_chars(packed.data(), end, size);
    if (error != std::errc() || colon == end || static_cast<std::size_t>(end - colon) <= size) return;
    visitor({colon + 1, size});
    packed = {colon + 1 + size, end};
  }
}

bool has_tag(std::string_view packed, std::string_view tag) {
  bool is_there = false;
  visit_tags(packed, [&](std::string_view each) { is_there = is_there || each == tag; });
  return is_there;
}

}  // namespace kbase::fts5
