// SPDX-License-Identifier: Apache-2.0
#include "domain/model/ids.hpp"

#include "domain/base/text.hpp"

namespace kbase::model {

std::string_view id_defect(std::string_view text) {
  if (text.empty()) return "an id must not be empty";
  if (text.size() > kMaxIdBytes) return "an id has at most 256 bytes";
  if (!utf8::is_valid(text)) return "an id must be valid UTF-8";
  if (utf8::has_control(text)) return "an id must not have control characters";
  if (text == "." || text == "..") return "an id must be neither '.' nor '..'";
  return {};
}

}  // namespace kbase::model
