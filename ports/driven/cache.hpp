// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "domain/base/function_ref.hpp"
#include "domain/base/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Stores values for a limited time. A miss is always allowed; a wrong, partial or expired value never is. Keys have 1
/// to 512 bytes, values up to 16 MiB, both of arbitrary bytes.
///
/// Thread-safety: any thread, concurrent calls allowed. Errors: Unavailable, Deadline; callers treat both as a miss.
/// Contract suite: plugins/conformance/cache_suite.
class Cache {
 public:
  virtual ~Cache() = default;

  /// Passes the value to the visitor as a view that is valid for the visit. False: a miss; the visitor was not called.
  virtual Result<bool> get(Call& call, std::string_view key, Visitor<std::string_view> visitor) = 0;

  /// Stores a copy for at most `time_to_live` (above 0). The cache may drop it at any time, or not store it.
  virtual Status put(Call& call, std::string_view key, std::string_view value,
                     std::chrono::milliseconds time_to_live) = 0;

  virtual Status erase(Call& call, std::string_view key) = 0;

  virtual Status health(Call& call) = 0;

  /// Whether no call ever blocks, so that a reactor thread may make it.
  virtual bool is_inline() const { return false; }
};

}  // namespace kbase::ports
