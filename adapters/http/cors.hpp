// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/server_options.hpp"

namespace kbase::http {

/// Cross-origin sharing (Fetch standard, "HTTP extensions"). Never with credentials: a key travels in Authorization,
/// which a script has to set itself. Immutable.
class CorsPolicy {
 public:
  explicit CorsPolicy(const CorsOptions& options);

  /// The fields of every answer.
  void write_fields(std::string& fields, std::optional<std::string_view> origin) const;

  /// What a preflight's answer has beside them.
  void write_preflight(std::string& fields) const;

  /// Whether answers differ by Origin.
  bool varies() const noexcept { return !any_; }

 private:
  CorsOptions options_;
  bool any_;
};

}  // namespace kbase::http
