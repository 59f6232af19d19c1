// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace kbase::http {

/// A body that is the same in every answer, compressed once.
struct PreparedBody {
  std::string_view content_type;
  std::string body;
  std::string packed;      ///< with gzip; empty where that would not make it smaller
  std::string entity_tag;  ///< weak, as it tells of both
};

/// `name` tells equal bodies of different places apart. `content_type` outlives what is returned.
PreparedBody prepare(std::string_view content_type, std::string_view name, std::string body);

}  // namespace kbase::http
