// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::http {

/// A static response body, compressed once.
struct PreparedBody {
  std::string_view content_type;
  std::string body;
  std::string packed;      ///< gzip form; empty if it would not be smaller
  std::string entity_tag;  ///< weak, because it covers both forms
};

/// `name` distinguishes equal bodies of different paths. `content_type` must outlive the result.
PreparedBody prepare(std::string_view content_type, std::string_view name, std::string body);

}  // namespace kbase::http
