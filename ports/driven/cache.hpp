// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "domain/model/function_ref.hpp"
#include "domain/model/result.hpp"
#include "ports/driven/call.hpp"

namespace kbase::ports {

/// Remembers values for a while. A miss is always legal; a wrong, torn or expired value never is. Keys are 1 to 512
/// bytes, values up to 16 MiB, any bytes.
///
/// Thread-safety: any thread, any number at a time. Errors: Unavailable, Deadline; callers take either for a miss.
/// Contract suite: plugins/conformance/cache_suite.
class Cache {
 public:
  virtual ~Cache() = default;

  /// Lends the value to the visitor. False: a miss, and the visitor was not called.
  virtual model::Result<bool> get(Call& call, std::string_view key, model::Visitor<std::string_view> visitor) = 0;

  /// Keeps a copy for at most `time_to_live` (above 0); a cache may drop it at any time, or never take it.
  virtual model::Status put(Call& call, std::string_view key, std::string_view value,
                            std::chrono::milliseconds time_to_live) = 0;

  virtual model::Status erase(Call& call, std::string_view key) = 0;

  virtual model::Status health(Call& call) = 0;

  /// Whether no call ever blocks: they may run on a reactor thread.
  virtual bool is_inline() const { return false; }
};

}  // namespace kbase::ports
