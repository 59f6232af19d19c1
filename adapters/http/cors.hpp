// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/server_options.hpp"

namespace kbase::http {

/// CORS header fields (Fetch standard, "HTTP extensions"). Never allows credentials: a key is sent in Authorization,
/// which a script must set itself. Immutable.
class CorsPolicy {
 public:
  explicit CorsPolicy(const CorsOptions& options);

  /// Writes the fields of every response.
  void write_fields(std::string& fields, std::optional<std::string_view> origin) const;

  /// Writes the additional fields of a preflight response.
  void write_preflight(std::string& fields) const;

  /// Returns whether responses depend on Origin.
  bool varies() const noexcept { return !any_; }

 private:
  CorsOptions options_;
  bool any_;
};

}  // namespace kbase::http
